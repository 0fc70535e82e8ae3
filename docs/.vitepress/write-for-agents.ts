import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSidebar } from './read-sidebar.ts';

interface Site {
  readonly srcDir: string;
  readonly outDir: string;
}

/**
 * Writes `llms.txt`, the list of the guides, and `llms-full.txt`, all guides in one file, for
 * coding agents (https://llmstxt.org).
 */
export function writeForAgents({ outDir, srcDir }: Site): void {
  const introduction = [
    '# Halyard',
    '',
    '> A TypeScript framework that runs AI agents and durable multi-step workflows behind one HTTP, SSE and WebSocket server.',
    '',
  ];
  const groups = readSidebar().map(({ items = [], text = '' }) => ({
    text,
    pages: items
      .flatMap((item) => [
        { ...item, isGuide: true },
        ...(item.items ?? []).map((page) => ({ ...page, text: `${item.text}: ${page.text}`, isGuide: false })),
      ])
      .map(({ isGuide, link = '', text: title = '' }) => {
        const path = `${link.slice(1)}${link.endsWith('/') ? 'README' : ''}.md`;
        return { isGuide, link, title, source: readFileSync(join(srcDir, path), 'utf8').trim() };
      }),
  }));
  const list = groups.flatMap(({ pages, text }) => [
    `## ${text}`,
    '',
    ...pages.map(({ link, source, title }) => `- [${title}](${link}): ${summaryOf(source)}`),
    '',
  ]);
  const reference = [
    '## API reference',
    '',
    '- [All packages](/api/): Every export of the packages, generated from their doc blocks.',
    '',
  ];
  writeFileSync(join(outDir, 'llms.txt'), [...introduction, ...list, ...reference].join('\n'));
  const whole = groups.flatMap(({ pages }) => pages.filter(({ isGuide }) => isGuide).map(({ source }) => source));
  writeFileSync(join(outDir, 'llms-full.txt'), `${[...introduction, ...whole].join('\n\n')}\n`);
}

/** The first sentence after the title. */
function summaryOf(source: string): string {
  const paragraph = source.split('\n\n').find((block) => /^[A-Z`*]/.test(block)) ?? '';
  return /^.*?[.:](?=\s|$)/.exec(paragraph.replaceAll('\n', ' '))?.[0] ?? paragraph;
}
