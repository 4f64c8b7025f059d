/**
 * Templates: JSON documents whose strings and keys hold `{{ expression }}` and `$(path)`. Expressions are compiled when
 * the policy is loaded and evaluated for each request; a string that is one variable takes its value with its type,
 * others take it as text. `\{{` and `\$(` are text. In a deletion `request.object` means `request.oldObject`, and
 * `{{ @ }}` is the field of the resource at the same place.
 *
 * Only what the policy's author wrote is a template: text that comes out of a variable is never looked at again, so a
 * resource cannot put expressions into a policy. The reference evaluates such text, and this is meant to differ. An
 * author who wants it writes a variable inside a variable: `{{ labels.{{ key }} }}`, which is compiled when its inner
 * values are known and remembered for a while.
 *
 * It does not know which names exist (see {@link Template.uses}), loads nothing, and does
 * not shift references for autogen rules.
 *
 * @module
 */
export { type TemplateCompilations, templateCompilations } from "./counters.ts";
export { markVariables } from "./marked.ts";
export { resolveReferences } from "./reference.ts";
export { compileTemplate, type Template, type TemplateOptions } from "./template.ts";
export { type Rendering, type TextTemplates, textTemplates } from "./texts.ts";
export type { DocumentPath, Use } from "./use.ts";
