import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { groupSamples } from './group-samples.ts';
import { linkRepository } from './link-repository.ts';
import { readApiSidebar, readSidebar } from './read-sidebar.ts';
import { showBraces } from './show-braces.ts';
import { writeForAgents } from './write-for-agents.ts';

const { version } = JSON.parse(readFileSync(new URL('../../packages/core/package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const titleOf = (source: string): string => /^# .+/m.exec(source)?.[0] ?? '';
const isApi = (page: string): boolean => page.startsWith('api/');
const isGenerated = (page: string): boolean => isApi(page) || page.startsWith('http/');

export default defineConfig({
  lang: 'en',
  title: 'Halyard',
  description: 'AI agents and durable workflows behind one HTTP, SSE and WebSocket server, in your own Node process.',
  base: process.env['DOCS_BASE'] ?? '/',
  // The list of the guides is the page that GitHub shows for the folder.
  rewrites: {
    'README.md': 'guides.md',
    'decisions/README.md': 'decisions/index.md',
    'http/README.md': 'http/index.md',
    'recipes/README.md': 'recipes/index.md',
  },
  cleanUrls: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env['DOCS_BASE'] ?? '/'}icon.svg` }]],
  markdown: {
    theme: { light: 'github-light-default', dark: 'github-dark-default' },
    config: (markdown) => {
      linkRepository(markdown);
      showBraces(markdown);
    },
  },
  // VitePress brings an older esbuild, which does not know the target of the repository.
  vite: {
    plugins: [groupSamples()],
    esbuild: { tsconfigRaw: { compilerOptions: { target: 'es2022' } } },
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Guides', link: '/guides' },
      { text: 'HTTP', link: '/http/' },
      { text: 'API', link: '/api/' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'Console', link: '/console' },
      { text: 'Decisions', link: '/decisions/' },
      { text: version, link: 'https://github.com/halyard-dev/halyard/blob/main/packages/core/CHANGELOG.md' },
    ],
    // The hundreds of pages of the API reference do not repeat the list of the guides.
    sidebar: { '/': [...readSidebar(), readApiSidebar()], '/api/': [readApiSidebar()] },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Of the API reference only the titles: it would make the index several times as large.
        _render: (source, env, markdown) => markdown.render(isApi(env.relativePath) ? titleOf(source) : source, env),
      },
    },
    socialLinks: [{ icon: 'github', link: 'https://github.com/halyard-dev/halyard' }],
    editLink: {
      pattern: 'https://github.com/halyard-dev/halyard/edit/main/docs/:path',
      text: 'Correct this page',
    },
  },
  transformPageData: ({ frontmatter, relativePath, title }) =>
    isGenerated(relativePath)
      ? { frontmatter: { ...frontmatter, editLink: false }, title: title.replace('&lt;', '<').replace('&gt;', '>') }
      : undefined,
  buildEnd: ({ outDir, srcDir }) => writeForAgents({ outDir, srcDir }),
});
