import { ImageRecorder, type ImageSource, RecordedImages } from "../registries/mod.ts";
import { systemClock } from "../adapters/mod.ts";
import { type Diagnostic, fileProblem } from "../diagnostics/mod.ts";
import { Fault } from "../json/mod.ts";

/** Options of commands that read or write a file of recorded images. */
export interface RecordingArguments {
  /** The file of recorded answers to read instead of registries. */
  readonly recordedImages?: string;
  /** The file to write the answers of registries to. */
  readonly recordImages?: string;
}

/** The recorder or the recording of registry answers that the options name; `undefined` when they name neither. */
export async function imageSource(
  { recordedImages, recordImages }: RecordingArguments,
): Promise<ImageSource | undefined | Fault> {
  if (recordedImages !== undefined && recordImages !== undefined) {
    return new Fault(
      "images are recorded or taken from a recording: use --record-images or --recorded-images",
    );
  }
  if (recordImages === undefined && recordedImages === undefined) return undefined;
  try {
    if (recordImages !== undefined) {
      // Opened here, so that an error about an unwritable file comes before the first call to a registry.
      (await Deno.open(recordImages, { write: true, create: true })).close();
      return new ImageRecorder();
    }
    const file = recordedImages!;
    return RecordedImages.read(await Deno.readTextFile(file), file);
  } catch (cause) {
    return new Fault(
      `${recordImages ?? recordedImages}: ${
        fileProblem(cause, recordImages === undefined ? "read" : "write")
      }`,
    );
  }
}

/** Writes the recorded answers; reports a failed write, and registries that gave no answer. */
export async function writeRecording(recorder: ImageRecorder, file: string): Promise<readonly Diagnostic[]> {
  const remarks = recorder.unreachable.map((reason): Diagnostic => ({
    severity: "warning",
    code: "recorded-images",
    message: `${file}: a registry gave no answer, which is recorded as such: ${reason}`,
    hint: "record the images again where the registry can be reached",
  }));
  try {
    await Deno.writeTextFile(file, recorder.text(systemClock()));
    return remarks;
  } catch (cause) {
    const message = `cannot write to ${file}: ${fileProblem(cause, "write")}`;
    return [{ severity: "error", code: "unwritable", message }];
  }
}
