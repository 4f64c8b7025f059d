import type { StepBudget } from "../json/mod.ts";
import { maxSteps } from "../jmespath/mod.ts";
import { elapsedOn, type Ports } from "../ports.ts";

/**
 * Whether a rule or a loop may go on: it goes on (`go`), it pauses until the process has handled other requests
 * (`pause`), or it ends because the deadline has passed (`over`).
 */
export type GoAhead = "go" | "pause" | "over";

/**
 * The time of one request: slices, between which other requests run, and its deadline. It reads the clock before every
 * few rules and elements only.
 */
export class TimeSlices {
  /** The steps of the rule until the clock is read again; one that needs more cannot be evaluated. */
  readonly steps: StepBudget = { left: mostSteps };
  /** The steps with which the rule, or an element of its loop, began. */
  #granted = mostSteps;
  /** The steps that are left to all rules of the request. */
  #requestLeft = mostRequestSteps;
  /** Whether the steps of a rule were used up at an earlier stage of it. */
  #wasExhausted = false;
  readonly #ports: Pick<Ports, "clock" | "scheduler">;
  readonly #endsAt: number;
  readonly #slice: number;
  #sliceEndsAt: number;
  #isPausing = false;
  /** Whether no rule has begun since the pause. */
  #isResuming = false;
  /** Whether the slice was made longer, for work that goes on after a pause. */
  #isExtended = false;
  #rules = 0;
  /** The elements that were evaluated in this slice. */
  #elements = 0;
  /** Whether the clock must be read before each rule and element. */
  #looksOften = false;
  #isOver = false;

  /** @param budget Milliseconds that evaluation may take in all. */
  constructor(ports: Pick<Ports, "clock" | "scheduler">, budget: number | undefined) {
    this.#ports = ports;
    this.#slice = ports.scheduler?.sliceMilliseconds ?? Infinity;
    const now = budget === undefined && this.#slice === Infinity ? 0 : elapsedOn(ports.clock);
    this.#endsAt = budget === undefined ? Infinity : now + budget;
    this.#sliceEndsAt = now + this.#slice;
  }

  /** Whether evaluation pauses until the next slice. */
  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** Whether the steps of the rule were used up, now or at an earlier stage. */
  get isExhausted(): boolean {
    return this.#wasExhausted || this.steps.left < 0;
  }

  /** Whether the request's steps are used up: each further rule has few. */
  get areUsedUp(): boolean {
    return this.#requestLeft <= 0;
  }

  /** Takes steps of the request that no rule's budget counts. */
  charge(steps: number): void {
    this.#requestLeft -= steps;
  }

  /** Notes that another rule is evaluated, or one again that `wasExhausted`. */
  beginRule(wasExhausted: boolean): void {
    this.#wasExhausted = wasExhausted;
    if (this.steps.left < 0 || this.areUsedUp) this.#fill();
  }

  /** Takes the steps that were done from the request's, and gives the next rule or element its own. */
  #fill(): void {
    const { steps } = this;
    this.#requestLeft -= this.#granted - (steps.left < 0 ? 0 : steps.left);
    steps.left = this.#granted = this.areUsedUp ? fewSteps : mostSteps;
  }

  /** Whether the next rule may begin. */
  beforeRule(): GoAhead {
    if (this.#isOver || this.#isPausing) return this.#isOver ? "over" : "pause";
    const rule = this.#rules++;
    // One rule runs in each slice, however late: a request that only paused would never end.
    if (this.#isResuming) {
      this.#isResuming = false;
      return "go";
    }
    return this.#mustLook() || rule < 2 || rule % rulesBetweenLooks === 0 ? this.#look() : "go";
  }

  /** Whether a loop that `hasMoved` on since its rule began may go on with its next element. */
  beforeElement(hasMoved: boolean): GoAhead {
    if (this.#isOver || this.#isCutShort) return "over";
    const element = this.#elements++;
    if (!hasMoved) return "go";
    return this.#mustLook() || element === 1 || element % elementsBetweenLooks === 0
      ? this.beforeStage()
      : "go";
  }

  /** Whether a stage of work that takes long by itself may begin. */
  beforeStage(): GoAhead {
    return this.#isOver || this.#isCutShort ? "over" : this.#isPausing ? "pause" : this.#look();
  }

  /** Whether the rule has used up the few steps that it had after the request's were used up. */
  get #isCutShort(): boolean {
    return this.areUsedUp && this.steps.left < 0;
  }

  #mustLook(): boolean {
    return this.#looksOften || this.steps.left < mostSteps - quickSteps;
  }

  #look(): GoAhead {
    this.#wasExhausted ||= this.steps.left < 0;
    if (!this.areUsedUp) this.#fill();
    if (this.#endsAt === Infinity && this.#slice === Infinity) return "go";
    const now = elapsedOn(this.#ports.clock);
    if (now >= this.#endsAt) this.#isOver = true;
    else if (now >= this.#sliceEndsAt) this.#isPausing = true;
    this.#looksOften = now > this.#sliceEndsAt - this.#slice + quickMilliseconds;
    return this.#isOver ? "over" : this.#isPausing ? "pause" : "go";
  }

  /**
   * After each pause a rule repeats all before its loop. When that takes longer than a slice, the loop gets as much
   * time again.
   */
  extend(): void {
    if (this.#isExtended) return;
    this.#isExtended = true;
    const now = elapsedOn(this.#ports.clock), began = this.#sliceEndsAt - this.#slice;
    this.#sliceEndsAt = now + Math.max(this.#slice, now - began);
  }

  /** The next slice begins, after a pause or after loads; none does when the time is over. */
  resume(isOver = false): void {
    this.#isOver ||= isOver;
    this.#isPausing = this.#isExtended = false;
    this.#isResuming = true;
    this.#elements = 0;
    this.#fill();
    this.#sliceEndsAt = elapsedOn(this.#ports.clock) + this.#slice;
  }

  /** Lets others work if the slice is used up; `undefined` if it is not. */
  rest(): Promise<void> | undefined {
    const { scheduler, clock } = this.#ports;
    if (scheduler === undefined || elapsedOn(clock) < this.#sliceEndsAt) return undefined;
    return scheduler.pause().then(() => {
      this.#sliceEndsAt = elapsedOn(clock) + this.#slice;
    });
  }
}

/** The number of rules and elements between two readings of the clock. */
const rulesBetweenLooks = 4, elementsBetweenLooks = 16;

/**
 * The steps of a rule, or of an element of its loop: about a fifth of a second. The size of a policy times the size of
 * an object has no other bound, and nobody else is answered meanwhile. Usual rules take some hundred.
 */
const mostSteps = 2 * maxSteps;

/**
 * The steps of all rules for a request: two and a half seconds at most, in slices. 340 policies for a Deployment of 20
 * containers take 0.7 million, 52 mutations of a Pod of 50 containers eleven.
 */
export const mostRequestSteps = 50_000_000;

/**
 * The steps of each rule after those of the request are used up: some ten times as many as a usual rule takes, so that
 * an object cannot be made too large for the policies that look at a few of its fields.
 */
export const fewSteps = 10_000;

/** After more steps than this, the clock is read before the next rule or element. */
const quickSteps = mostSteps / 40;

/** Milliseconds of a usual request. In a longer one the clock is read more often. */
const quickMilliseconds = 2;
