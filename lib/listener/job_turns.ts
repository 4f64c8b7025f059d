import { setImmediate } from "node:timers";

/** Work that waits for its turn. */
export interface Job {
  /** Identifies who waits for the job: the connection. */
  readonly caller: object;
  run(): void;
  /** Rejects the work, because its answer would come too late. */
  shed(): void;
  /** The time after which the caller no longer waits for the answer, on the clock of `performance.now()`. */
  readonly until: number;
}

/** How long jobs run before the event loop runs again. The listener answers health checks in between. */
const sliceMilliseconds = 10;

/**
 * Rounds of the event loop between two turns, with a short queue and with a long one. In one round the runtime reads
 * only some of the connections that have bytes; with a thousand callers a health check would wait for many turns.
 */
const rounds = { short: 1, long: 8 };
const longQueue = 64;

/** When this many jobs wait, they wait for no others: they would only be answered later. */
const mostTogether = 16;

/** After this long a pause between two jobs, the event loop has certainly run in between. */
const idleMilliseconds = 0.5;

/**
 * When two callers' jobs follow each other within this pause, the second request was probably there before the first
 * answer. One caller's next request can come as fast: the write of an answer wakes its caller before it returns.
 */
const pauseInRound = 0.05;

/** The clock of {@link JobTurns}, and what they call. */
export interface JobTurnsOptions {
  /** Returns the time in milliseconds; `performance.now` when absent. */
  readonly now?: () => number;
  /** Called after the jobs of a turn: the listener writes their answers then. */
  readonly ended?: () => void;
}

/**
 * Runs a job at once while the event loop is free and only one caller waits. Jobs of several callers wait until the
 * event loop has read the other requests of its round, and then run one after the other. Between two jobs the
 * processor then runs no other code, so that theirs stays in its caches: `deno task bench --only throughput` shows that
 * a denied request takes a tenth less processor time at 16 connections.
 *
 * Under overload jobs run in the order of arrival, some milliseconds at a time. A job is shed on arrival when its
 * answer would come too late, so that the queue never holds more work than its callers wait for.
 */
export class JobTurns {
  readonly #now: () => number;
  readonly #turnEnded: () => void;
  /** The queue. Its first `#done` jobs have run already. */
  #jobs: Job[] = [];
  #done = 0;
  #isScheduled = false;
  /** Whether a job runs or is shed at the moment. */
  #isRunning = false;
  #roundsLeft = 0;
  /** Milliseconds of work since the event loop last ran, and the time when the last job ended. */
  #worked = 0;
  #ended = 0;
  /** The recent average time of a job in milliseconds. With a queue it includes the other work between turns. */
  #average = 0.1;
  /** When the last turn began, and how many jobs it ran. */
  #began = 0;
  #count = 0;

  /** Whether the last turn had several jobs. */
  #areCrowded = false;
  #lastCaller: object | undefined;

  constructor({ now = () => performance.now(), ended = () => {} }: JobTurnsOptions = {}) {
    this.#now = now;
    this.#turnEnded = ended;
  }

  /** Whether several callers wait at the same time: the running job is one of several of its turn. */
  get areCrowded(): boolean {
    return this.#areCrowded;
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#jobs.length - this.#done;
  }

  /**
   * Runs a job now, queues it, or sheds it. A job that is added while another runs or is shed is queued: an answer may
   * free memory for a waiting body, whose answer frees memory for the next. Without the queue all of them ran inside
   * each other.
   */
  add(job: Job): void {
    const now = this.#now(), mayRun = !this.#isRunning;
    if (mayRun && this.waiting === 0) {
      if (now - this.#ended > idleMilliseconds) {
        this.#worked = 0;
        this.#areCrowded = false;
      }
      if (this.#worked < sliceMilliseconds && !this.#joinsOthers(job, now)) return this.#run(job, now);
    }
    if (now + this.waiting * this.#average > job.until) return job.shed();
    this.#jobs.push(job);
    if (mayRun && this.waiting >= mostTogether && this.#worked < sliceMilliseconds) this.#runWaiting(now);
    else this.#schedule();
  }

  /** Whether a job probably came with others: the last turn had several, or another caller's job ended just now. */
  #joinsOthers({ caller }: Job, now: number): boolean {
    return this.#areCrowded || now - this.#ended < pauseInRound && caller !== this.#lastCaller;
  }

  #run(job: Job, started: number): void {
    this.#isRunning = true;
    if (started > job.until) {
      job.shed();
      this.#isRunning = false;
      return;
    }
    this.#lastCaller = job.caller;
    job.run();
    this.#isRunning = false;
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

  /** Updates the average when a turn begins. The time between turns includes reads, writes and TLS handshakes. */
  #noteTurn(now: number): void {
    if (this.#count > 0) this.#average += ((now - this.#began) / this.#count - this.#average) / 4;
    this.#began = now;
    this.#count = 0;
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#worked = 0;
    if (this.waiting > 0) this.#runWaiting(this.#now());
  };

  /** Runs the jobs that wait until the event loop has to run again. */
  #runWaiting(now: number): void {
    this.#noteTurn(now);
    this.#areCrowded = this.waiting > 1;
    while (this.#done < this.#jobs.length && this.#worked < sliceMilliseconds) {
      this.#run(this.#jobs[this.#done++]!, this.#now());
      this.#count++;
    }
    this.#turnEnded();
    this.#ended = this.#now();
    this.#dropDone();
    if (this.waiting > 0) this.#schedule();
  }

  /** Drops the jobs that have run from the queue. */
  #dropDone(): void {
    if (this.waiting === 0) {
      this.#jobs = [];
      this.#done = this.#count = 0;
    } else if (this.#done > 1024) {
      this.#jobs.splice(0, this.#done);
      this.#done = 0;
    }
  }
}
