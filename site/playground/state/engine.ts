/** The engine as the page sees it: questions to a worker that can be replaced at any time. */
import type { SimulationOptions, SimulationTexts } from "../../../lib/simulation/mod.ts";
import type { ExpressionResult, ExpressionTask } from "../worker/expressions.ts";
import type { Files } from "../worker/test_folder.ts";
import type { Answer, EngineRequest } from "../worker/protocol.ts";

/** Milliseconds that a worker has to take up a new run before it is replaced. */
const startTimeoutMs = 400;

/** Receives the answers of runs. */
export type OnAnswer = (answer: Answer) => void;

/** Asks the engine. A run that is still under way when the next one begins is given up. */
export class Engine {
  readonly #url: string;
  readonly #onAnswer: OnAnswer;
  #worker: Worker;
  #number = 0;
  #isReady = false;
  #run: (EngineRequest & { readonly kind: "run" }) | undefined;
  #replacing: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  /** How many workers were given up because they did not answer. */
  replaced = 0;

  constructor(url: string, onAnswer: OnAnswer) {
    this.#url = url;
    this.#onAnswer = onAnswer;
    this.#worker = this.#start();
  }

  /** Compiles texts and evaluates all inputs. */
  run(texts: SimulationTexts, options: SimulationOptions): number {
    const number = ++this.#number;
    this.#run = { kind: "run", number, texts, options };
    this.#send(this.#run);
    // A run may keep the worker busy for ever: a new worker then replaces it.
    if (this.#isReady) this.#replacing ??= setTimeout(() => this.#replace(), startTimeoutMs);
    return number;
  }

  /** Loads the outcome of one input of the last run. */
  outcome(index: number): number {
    return this.#send({ kind: "outcome", number: ++this.#number, index });
  }

  /** Asks for schemas and functions. */
  language(): number {
    return this.#send({ kind: "language", number: ++this.#number });
  }

  /** Evaluates an expression. */
  async evaluate(task: ExpressionTask): Promise<ExpressionResult> {
    const answer = await this.#answerTo({ kind: "expression", number: ++this.#number, task });
    return answer.kind === "expression" ? answer.result : {};
  }

  /** The last run as the folder of a test. */
  async testFolder(): Promise<Files> {
    const answer = await this.#answerTo({ kind: "folder", number: ++this.#number });
    return answer.kind === "folder" ? answer.files : {};
  }

  #answerTo(request: EngineRequest): Promise<Answer> {
    return new Promise((resolve) => this.#waiting.set(this.#send(request), resolve));
  }

  #send(request: EngineRequest): number {
    this.#worker.postMessage(request);
    return request.number;
  }

  #start(): Worker {
    const worker = new Worker(this.#url, { type: "module", name: "engine" });
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#hear(data));
    return worker;
  }

  #hear(answer: Answer): void {
    if (answer.kind === "ready") this.#isReady = true;
    if (answer.kind === "begun" && answer.number === this.#run?.number) this.#calm();
    const waiting = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    if (waiting !== undefined) return waiting(answer);
    if (!this.#isOfFormerRun(answer)) this.#onAnswer(answer);
  }

  /** Whether an answer is about texts that were replaced since. Outcomes have the numbers of their questions. */
  #isOfFormerRun({ kind, number }: Answer): boolean {
    const run = this.#run?.number ?? 0;
    return kind === "outcome" ? number < run : (kind === "loaded" || kind === "summaries") && number !== run;
  }

  #calm(): void {
    clearTimeout(this.#replacing);
    this.#replacing = undefined;
  }

  #replace(): void {
    this.#calm();
    this.#worker.terminate();
    this.#isReady = false;
    this.replaced++;
    this.#worker = this.#start();
    if (this.#run !== undefined) this.#worker.postMessage(this.#run);
  }
}
