import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The size of the generated app. */
interface LargeApp {
  readonly tools: number;
  readonly workflows: number;
  readonly steps: number;
}

type Framework = 'halyard' | 'mastra';

const largeApp: LargeApp = { tools: 200, workflows: 50, steps: 30 };

/**
 * Writes the same app for one of the frameworks: tools with schemas, an agent that has all of them,
 * workflows whose steps use the output of the step before, and a server or instance with all of it.
 * No annotation helps the compiler. @returns the main file.
 */
export async function writeLargeApp(framework: Framework, folder: string, size: LargeApp = largeApp): Promise<string> {
  const { main, tool, workflow } = sources[framework];
  await mkdir(join(folder, 'tools'), { recursive: true });
  await mkdir(join(folder, 'workflows'), { recursive: true });
  for (const index of range(size.tools)) await writeFile(join(folder, `tools/tool${index}.ts`), tool(index));
  for (const index of range(size.workflows))
    await writeFile(join(folder, `workflows/workflow${index}.ts`), workflow(index, size.steps));
  const file = join(folder, 'main.ts');
  const imports = [
    ...range(size.tools).map((index) => `import { tool${index} } from './tools/tool${index}.ts';`),
    ...range(size.workflows).map((index) => `import { workflow${index} } from './workflows/workflow${index}.ts';`),
  ];
  await writeFile(file, `${imports.join('\n')}\n${main(size)}`);
  return file;
}

interface Sources {
  readonly tool: (index: number) => string;
  readonly workflow: (index: number, steps: number) => string;
  readonly main: (size: LargeApp) => string;
}

/** Different in each tool, so that the compiler cannot reuse a type. */
function fieldsOf(index: number): string {
  return `{ id: z.string(), amount${index}: z.number(), lines: z.array(z.object({ sku: z.string(), count: z.number() })) }`;
}

const sources: Readonly<Record<Framework, Sources>> = {
  halyard: {
    tool: (index) => `import { createTool } from '@halyard/core';
import { z } from 'zod';

export const tool${index} = createTool({
  name: 'tool${index}',
  description: 'Tool ${index}',
  input: z.object(${fieldsOf(index)}),
  output: z.object({ total: z.number(), id: z.string() }),
  execute: ({ amount${index}, id, lines }) => ({ id, total: amount${index} * lines.length }),
});
`,
    workflow: (index, steps) => `import { createWorkflow } from '@halyard/core';
import { z } from 'zod';

export const workflow${index} = createWorkflow({ id: 'workflow${index}', name: 'Workflow ${index}', input: z.object(${fieldsOf(index)}) })
${range(steps)
  .map(
    (step) => `  .andThen({
    id: 'step${step}',
    execute: ({ data }) => ({ id: data.id, lines: data.lines, amount${index}: data.amount${index} + ${step}, value${step}: '${step}' }),
  })`,
  )
  .join('\n')};
`,
    main: ({ tools, workflows }) => `import { openai } from '@ai-sdk/openai';
import { createClient } from '@halyard/client';
import { Agent } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';

const agent = new Agent({ id: 'agent', model: openai('gpt-5-mini'), tools: [${names('tool', tools)}] });
export const server = await createServer({ agents: [agent], workflows: [${names('workflow', workflows)}] });

const client = createClient<typeof server>({ baseUrl: 'http://127.0.0.1' });
const { toolResults } = await agent.generateText('Hi');
for (const result of toolResults) if (result.toolName === 'tool7') result.output.total.toFixed();
export const execution = await client
  .workflow('workflow3')
  .start({ id: 'a', amount3: 1, lines: [{ sku: 'a', count: 1 }] });
`,
  },
  mastra: {
    tool: (index) => `import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

export const tool${index} = createTool({
  id: 'tool${index}',
  description: 'Tool ${index}',
  inputSchema: z.object(${fieldsOf(index)}),
  outputSchema: z.object({ total: z.number(), id: z.string() }),
  execute: async ({ amount${index}, id, lines }) => ({ id, total: amount${index} * lines.length }),
});
`,
    workflow: (index, steps) => {
      const fields = (step: number): string =>
        `z.object({ id: z.string(), amount${index}: z.number(), lines: z.array(z.object({ sku: z.string(), count: z.number() })), value${step}: z.string() })`;
      return `import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

${range(steps)
  .map(
    (step) => `const step${step} = createStep({
  id: 'step${step}',
  inputSchema: ${step === 0 ? `z.object(${fieldsOf(index)})` : fields(step - 1)},
  outputSchema: ${fields(step)},
  execute: async ({ inputData }) => ({ id: inputData.id, lines: inputData.lines, amount${index}: inputData.amount${index} + ${step}, value${step}: '${step}' }),
});`,
  )
  .join('\n')}

export const workflow${index} = createWorkflow({
  id: 'workflow${index}',
  inputSchema: z.object(${fieldsOf(index)}),
  outputSchema: ${fields(steps - 1)},
})
${range(steps)
  .map((step) => `  .then(step${step})`)
  .join('\n')}
  .commit();
`;
    },
    main: ({ tools, workflows }) => `import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';

const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: 'Help.',
  model: openai('gpt-5-mini'),
  tools: { ${names('tool', tools)} },
});
export const mastra = new Mastra({ agents: { agent }, workflows: { ${names('workflow', workflows)} } });

const run = await mastra.getWorkflow('workflow3').createRun();
export const execution = await run.start({ inputData: { id: 'a', amount3: 1, lines: [{ sku: 'a', count: 1 }] } });
`,
  },
};

function names(name: string, count: number): string {
  return range(count)
    .map((index) => `${name}${index}`)
    .join(', ');
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}
