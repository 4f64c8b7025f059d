import { setImmediate } from "node:timers";

/** Work that waits for its turn. */
export interface Job {
  run(): void;
  /** The queue is so long that the answer would come too late. */
  shed(): void;
  /** When an answer is of no more use, on the clock of `performance.now()`. */
  readonly until: number;
}

/** How long requests are worked on before the event loop has its turn: health checks are answered there. */
const sliceMilliseconds = 10;

/**
 * Rounds of the event loop between two turns, with a short queue and with a long one. In one round the runtime takes only
 * some of the connections that have something to say; with a thousand callers a health check would wait for many turns.
 */
const rounds = { short: 1, long: 8 };
const longQueue = 64;

/** A pause between two jobs after which the event loop certainly had its turn: it had nothing else to do. */
const idleMilliseconds = 0.5;

/** A pause between two jobs in which no caller could have read an answer and asked again: the second was there before. */
const pauseInRound = 0.05;

/**
 * Runs work at once while the event loop is free, and in the order of its arrival, some milliseconds at a time, when
 * more arrives than can be done. What would be done too late is shed when it arrives, so that the queue never gets longer
 * than its callers wait.
 */
export class Turns {
  readonly #now: () => number;
  /** The queue, of which the first `#done` are done. */
  #jobs: Job[] = [];
  #done = 0;
  #isScheduled = false;
  #roundsLeft = 0;
  /** Milliseconds of work since the event loop last had its turn, and when that ended. */
  #worked = 0;
  #ended = 0;
  /** Milliseconds that a job takes on average, of late; with a queue, all that is done beside jobs included. */
  #average = 0.1;
  /** When the last turn began, and the jobs done in it. */
  #began = 0;
  #count = 0;

  #areCrowded = false;

  /** With a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the job that runs was there before the last one ended: several callers want answers at the same time. */
  get areCrowded(): boolean {
    return this.#areCrowded;
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#jobs.length - this.#done;
  }

  /** Does a job now, later, or not at all. */
  add(job: Job): void {
    const now = this.#now();
    if (this.waiting === 0) {
      if (now - this.#ended > idleMilliseconds) this.#worked = 0;
      if (this.#worked < sliceMilliseconds) return this.#run(job, now);
    }
    if (now + this.waiting * this.#average > job.until) return job.shed();
    this.#jobs.push(job);
    this.#schedule();
  }

  #run(job: Job, started: number): void {
    if (started > job.until) return job.shed();
    this.#areCrowded = started - this.#ended < pauseInRound;
    job.run();
    this.#ended = this.#now();
    const took = this.#ended - started;
    this.#worked += took;
    if (this.waiting === 0) this.#average += (took - this.#average) / 16;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#roundsLeft = this.waiting > longQueue ? rounds.long : rounds.short;
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    if (--this.#roundsLeft > 0) setImmediate(this.#round);
    else this.#turn();
  };

  /** From turn to turn, requests are also read and answers written, and others have handshakes. */
  #noteTurn(now: number): void {
    if (this.#count > 0) this.#average += ((now - this.#began) / this.#count - this.#average) / 4;
    this.#began = now;
    this.#count = 0;
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#worked = 0;
    this.#noteTurn(this.#now());
    while (this.#done < this.#jobs.length && this.#worked < sliceMilliseconds) {
      this.#run(this.#jobs[this.#done++]!, this.#now());
      this.#count++;
    }
    if (this.#done === this.#jobs.length) {
      this.#jobs = [];
      this.#done = this.#count = 0;
    } else {
      if (this.#done > 1024) {
        this.#jobs.splice(0, this.#done);
        this.#done = 0;
      }
      this.#schedule();
    }
  };
}
