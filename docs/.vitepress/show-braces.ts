import type { MarkdownRenderer } from 'vitepress';

/** Shows `{{ … }}` in code as it is written: Vue would evaluate it. */
export function showBraces(markdown: MarkdownRenderer): void {
  const code = markdown.renderer.rules['code_inline'];
  markdown.renderer.rules['code_inline'] = (tokens, index, options, env, self) => {
    tokens[index]?.attrSet('v-pre', '');
    return code?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
  };
}
