/**
 * Templates: JSON documents whose strings and keys hold `{{ expression }}` and `$(path)`. Expressions are compiled
 * when the policy is loaded and evaluated for each request; a string that is one variable takes its value with its
 * type, others take it as text. `\{{` and `\$(` are text. In a deletion `request.object` means `request.oldObject`,
 * and `{{ @ }}` is the field of the resource at the same path.
 *
 * Only the policy's text is a template: the value of a variable is never evaluated again, so a resource cannot put
 * expressions into a policy. Kyverno evaluates such values; Postern deliberately does not. An author who needs it
 * writes a variable inside a variable, `{{ labels.{{ key }} }}`: its expression is compiled once the inner values are
 * rendered, and then cached.
 *
 * It does not check which names exist (see {@link Template.uses}), loads nothing, and does not rewrite references for
 * autogen rules.
 *
 * @module
 */
export { type TemplateCompilations, templateCompilations } from "./counters.ts";
export { hasVariables } from "./has_variables.ts";
export { markVariables } from "./marked.ts";
export { requestVariables } from "./request_variables.ts";
export { resolveReferences } from "./reference.ts";
export { compileTemplate, type Template, type TemplateOptions } from "./template.ts";
export { type Rendering, type TextTemplates, textTemplates } from "./texts.ts";
export type { Use } from "./use.ts";
