/** Expressions in JMESPath or CEL: value, mistake and tree while typing. */
import { effect, type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { createCodeEditor } from "../editor/code_editor.ts";
import { languageNotes } from "../editor/language_notes.ts";
import type { Engine } from "../state/engine.ts";
import type { ExpressionResult, ExpressionTask, TreeNode } from "../worker/expressions.ts";

type LanguageName = ExpressionTask["language"];

const input = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels:
    team: payments
spec:
  containers:
    - name: app
      image: nginx:1.27
    - name: log
      image: fluentd
`;

const tasks: Readonly<Record<LanguageName, Signal<ExpressionTask>>> = {
  jmespath: signal({
    language: "jmespath",
    expression: "spec.containers[?!contains(image, ':')].to_upper(name)",
    input,
  }),
  cel: signal({
    language: "cel",
    expression: "object.spec.containers.all(c, c.image.contains(':'))",
    input,
  }),
};

const results: Readonly<Record<LanguageName, Signal<ExpressionResult>>> = {
  jmespath: signal({}),
  cel: signal({}),
};

/** The tool for one of the languages. */
export function ExpressionTool(
  { language, engine }: { readonly language: LanguageName; readonly engine: Engine },
): JSX.Element {
  const task = tasks[language], result = results[language];
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = effect(() => {
      const now = task.value;
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const answer = await engine.evaluate(now);
        if (task.peek() === now) result.value = answer;
      }, 120);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [language]);
  const change = (part: Partial<ExpressionTask>): void => {
    task.value = { ...task.value, ...part };
  };
  const isJmespath = language === "jmespath";
  return (
    <main class="expressions">
      <section class="pane" aria-label="Expression">
        <header class="pane-head">
          <h2>{isJmespath ? "JMESPath" : "CEL"}</h2>
        </header>
        <textarea
          class="expression"
          aria-label={`${isJmespath ? "JMESPath" : "CEL"} expression`}
          spellcheck={false}
          rows={4}
          value={task.value.expression}
          onInput={({ currentTarget }) => change({ expression: currentTarget.value })}
        />
        <ExpressionValue result={result.value} expression={task.value.expression} />
      </section>
      <section class="pane" aria-label="Input">
        <header class="pane-head">
          <h2>Input</h2>
          <span class="pane-note">
            {isJmespath ? "the document" : "variables, or an object, which is the variable object"}
          </span>
        </header>
        <InputEditor key={language} text={task.peek().input} onChange={(text) => change({ input: text })} />
      </section>
      <section class="pane pane-tree" aria-label="Tree of the expression">
        <header class="pane-head">
          <h2>Tree</h2>
        </header>
        <div class="result" tabIndex={0} role="region" aria-label="Tree">
          {result.value.tree === undefined
            ? <p class="empty">The expression has no tree yet.</p>
            : (
              <ul class="tree">
                <Node node={result.value.tree} />
              </ul>
            )}
          {isJmespath && <Functions />}
        </div>
      </section>
    </main>
  );
}

function ExpressionValue(
  { result: { value, problem, offset, type, cost }, expression }: {
    readonly result: ExpressionResult;
    readonly expression: string;
  },
): JSX.Element {
  return (
    <div class="expression-result" aria-live="polite" data-testid="expression-result">
      {problem !== undefined && (
        <>
          {offset !== undefined && (
            <p class="mistake">
              <code>
                {expression.slice(0, offset)}
                <mark>{expression.slice(offset, offset + 1) || "␣"}</mark>
                {expression.slice(offset + 1)}
              </code>
            </p>
          )}
          <pre class="problem" tabIndex={0}>{problem}</pre>
        </>
      )}
      {problem === undefined && <pre class="answer" tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>}
      {type !== undefined && (
        <p class="facts">
          type <code>{type}</code> · cost {cost}
        </p>
      )}
    </div>
  );
}

function InputEditor(
  { text, onChange }: { readonly text: string; readonly onChange: (text: string) => void },
): JSX.Element {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const editor = createCodeEditor({
      parent: parent.current!,
      text,
      label: "Input, YAML",
      suggests: false,
      onChange,
    });
    return () => editor.destroy();
  }, []);
  return <div class="editor" ref={parent} />;
}

function Node({ node: { name, value, children } }: { readonly node: TreeNode }): JSX.Element {
  return (
    <li>
      <span class="tree-node">
        <span class="tree-name">{name.replace(/^AST/, "")}</span>
        {value !== undefined && <code>{value}</code>}
      </span>
      {children.length > 0 && <ul>{children.map((child, index) => <Node key={index} node={child} />)}</ul>}
    </li>
  );
}

function Functions(): JSX.Element {
  const { functions } = languageNotes();
  return (
    <details class="functions">
      <summary>{functions.length} functions</summary>
      <dl>
        {functions.map(({ name, signature, summary, example }) => (
          <div key={name}>
            <dt>
              <code>{signature}</code>
            </dt>
            <dd>{summary} {example !== "" && <code>{example}</code>}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
