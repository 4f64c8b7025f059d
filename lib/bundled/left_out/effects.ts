import type { openEffects as full } from "../effects.ts";

const openEffects: typeof full = () => Promise.resolve(undefined);

export { openEffects };
