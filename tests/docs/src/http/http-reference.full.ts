import { type ChildProcess, fork, execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readApiDocument, type Route, routesOf } from '../../../../docs/.vitepress/http-reference/api-document.ts';
import { referencePages } from '../../../../docs/.vitepress/http-reference/reference-pages.ts';
import { sampleRequests } from '../../../../docs/.vitepress/http-reference/sample-requests.ts';
import { checkTypes } from '../check-types.ts';
import { type CodeBlock, type Document, readBlocks, readDocuments } from '../documents.ts';
import { documentsWithLinks, isInReference, leadsToFile, leadsToOneOf, linksOf } from '../links.ts';
import { createSampleFolder, removeSampleFolder } from '../sample-folder.ts';
import { type Sample, writeSamples } from '../samples.ts';
import { PythonProcess } from './python-process.ts';
import { openSampleApp, type SampleApp } from './sample-app.ts';

const document = await readApiDocument();
const routes = routesOf(document);
const pages = referencePages(document);

it.each(referenceDocuments())('$path links only to existing pages and headings', (page) => {
  const broken = linksOf(page).filter((link) => !leadsToOneOf(referenceDocuments(), link) && !leadsToFile(link));
  expect(broken).toEqual([]);
});

it('has the pages and headings that other documents link to', () => {
  const links = readDocuments(...documentsWithLinks)
    .flatMap(linksOf)
    .filter(isInReference);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !leadsToOneOf(referenceDocuments(), link))).toEqual([]);
});

it('has a sample for each route', () => {
  const ids = routes.map(({ operation }) => operation.operationId);
  expect(Object.keys(sampleRequests).toSorted()).toEqual(ids.toSorted());
});

const run = promisify(execFile);

describe('the samples in curl and Python', () => {
  const python = new PythonProcess();
  afterAll(() => python.close());

  describe.each([
    ['curl', 'sh [curl]', (sample: string) => run('bash', ['-c', sample])],
    ['Python', 'python [Python]', (sample: string) => python.run(sample)],
  ] as const)('%s', (_, language, execute) => {
    let app: SampleApp;
    beforeAll(async () => {
      app = await openSampleApp();
    });
    afterAll(() => app.close());

    it.each(samplesIn(language))('$place gets the reply of the route', async ({ block, route }) => {
      await prepare(app, route);
      await execute(app.adapt(block.lines.join('\n')));
      expect(await repliesTo(app)).toContain(expectedReply(route));
    });
  });
});

describe('the samples in TypeScript', () => {
  const samplesFolder = createSampleFolder();
  let app: SampleApp;
  let samples: readonly Sample[];
  let child: ChildProcess;
  beforeAll(async () => {
    app = await openSampleApp();
    const adapted = referenceDocuments().map(({ lines, path }) => ({
      path,
      lines: lines.map((line) => app.adapt(line)),
    }));
    samples = writeSamples(adapted, samplesFolder, 'ts [TypeScript]');
    child = fork(new URL('run-module.ts', import.meta.url), {
      execArgv: ['--conditions=@halyard/source'],
      silent: true,
    });
  });
  afterAll(async () => {
    child.kill();
    await app.close();
    removeSampleFolder(samplesFolder);
  });

  it('have the types of the client', async () => {
    expect(await checkTypes(samples)).toEqual([]);
  });

  it.each(samplesIn('ts [TypeScript]'))('$place gets the reply of the route', async ({ place, route }) => {
    await prepare(app, route);
    expect(await runModule(place)).toEqual({});
    expect(await repliesTo(app)).toContain(expectedReply(route));
  });

  it.each(webSocketSamples())('%s receives a message', async (place) => {
    expect(await runModule(place)).toEqual({});
  });

  async function runModule(place: string): Promise<unknown> {
    const sample = samples.find((one) => one.place === place);
    child.send(sample?.file ?? '');
    const [outcome] = (await once(child, 'message')) as unknown[];
    return outcome;
  }
});

/** A block of the reference, and the route that it shows. */
interface RouteSample {
  readonly place: string;
  readonly block: CodeBlock;
  readonly route: Route;
}

function samplesIn(language: string): readonly RouteSample[] {
  return referenceDocuments().flatMap((page) =>
    readBlocks(page)
      .blocks.filter((block) => block.language === language)
      .flatMap((block) => {
        const above = page.lines.slice(0, block.line).findLast((line) => /^`[A-Z]+ \//.test(line));
        const route = routes.find(({ method, path }) => above === `\`${method} ${path}\``);
        return route === undefined ? [] : [{ place: `${page.path}:${block.line}`, block, route }];
      }),
  );
}

function webSocketSamples(): readonly string[] {
  return referenceDocuments()
    .filter(({ path }) => path.endsWith('websockets.md'))
    .flatMap((page) => readBlocks(page).blocks.map(({ line }) => `${page.path}:${line}`));
}

function referenceDocuments(): readonly Document[] {
  return Array.from(pages, ([name, text]) => ({ path: `docs/http/${name}`, lines: text.split('\n') }));
}

async function prepare(app: SampleApp, { operation }: Route): Promise<void> {
  if (operation.tags.includes('Updates')) await app.outdate();
  app.takeReplies();
}

function expectedReply({ method, operation, path }: Route): string {
  const status = sampleRequests[operation.operationId]?.status ?? 200;
  return `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')} ${status}`;
}

/** The server counts a reply after the client has it. */
async function repliesTo(app: SampleApp): Promise<readonly string[]> {
  const replies: string[] = [];
  await expect.poll(() => replies.push(...app.takeReplies())).toBeGreaterThan(0);
  return replies;
}
