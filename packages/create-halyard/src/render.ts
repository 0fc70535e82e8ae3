/** The values that the files of a template use. */
export interface RenderContext {
  /** The names that `@if` knows. */
  readonly flags: ReadonlySet<string>;
  /** The texts for `{{name}}`. */
  readonly values: Readonly<Record<string, string>>;
}

const condition = /^\s*(?:\/\/|#|<!--)\s*@if\s+(!?)([\w,-]+)/;
const end = /^\s*(?:\/\/|#|<!--)\s*@end\b/;

/**
 * Renders a file of a template. The lines from `// @if chat,workflow` to `// @end` remain if one of
 * the flags is set, those of `// @if !jwt` if it is not. The comments have the form of the language
 * of the file, so that it is valid before it is rendered.
 */
export function render(text: string, { flags, values }: RenderContext): string {
  let isKept = true;
  const lines = text.split('\n').filter((line) => {
    const [, not, names = ''] = condition.exec(line) ?? [];
    if (not !== undefined) isKept = names.split(',').some((name) => flags.has(name)) === (not === '');
    else if (end.test(line)) isKept = true;
    else return isKept;
    return false;
  });
  return lines.join('\n').replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}
