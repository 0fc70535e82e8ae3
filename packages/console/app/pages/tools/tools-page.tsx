import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { SearchField } from '../../ui/filters.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { type ToolSummary, toolsQuery } from './tools-query.ts';

const route = getRouteApi('/tools');

const columns: readonly Column<ToolSummary>[] = [
  {
    name: 'Tool',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => (
      <Link to="/tools/$toolName" params={{ toolName: name }}>
        {name}
      </Link>
    ),
  },
  { name: 'Description', width: 'minmax(10rem, 3fr)', isSecondary: true, cell: ({ description }) => description },
  { name: 'Input', width: 'minmax(8rem, 1.5fr)', isSecondary: true, cell: (tool) => <code>{readInput(tool)}</code> },
  {
    name: 'Agents',
    width: 'minmax(7rem, 1fr)',
    cell: ({ agents }) => agents.map(({ name }) => name).join(', ') || '–',
  },
  { name: 'Calls run', width: '8rem', isSecondary: true, cell: (tool) => <RunMark tool={tool} /> },
];

/** The tools of all agents. */
export function ToolsPage(): ReactNode {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const isRestricted = useIsRestricted();
  const { data: tools, error, isPending, refetch } = useQuery(toolsQuery);
  const shown = tools?.filter((tool) => matches(tool, q)) ?? [];
  return (
    <Page
      title="Tools"
      about={tools?.length}
      isFilled
      bar={
        <SearchField
          label="Search tools"
          value={q}
          onChange={(next) => void navigate({ search: next === undefined ? {} : { q: next }, replace: true })}
        />
      }
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Loading what="the tools" />
      ) : shown.length > 0 ? (
        <DataTable
          label="Tools"
          columns={isRestricted ? columns.slice(0, 3) : columns}
          rows={shown}
          rowKey={({ name }) => name}
        />
      ) : tools.length === 0 ? (
        <EmptyState title="No agent has a tool" snippet={firstTool}>
          A tool is a function that a model can call. Describe one, and give it to an agent:
        </EmptyState>
      ) : (
        <EmptyState title="No tool matches">
          Names, descriptions, tags and agents are searched. Try fewer letters.
        </EmptyState>
      )}
    </Page>
  );
}

/** Whether calls wait for a person, or run elsewhere. */
function RunMark({ tool: { clientSide, needsApproval } }: { readonly tool: ToolSummary }): ReactNode {
  if (needsApproval) return <StateMark state="waiting" word="with approval" />;
  return clientSide === true ? 'in the client' : 'at once';
}

function readInput({ inputSchema }: ToolSummary): string {
  const properties = inputSchema['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).join(', ') || '–' : '–';
}

function matches({ agents, description, name, tags }: ToolSummary, q: string | undefined): boolean {
  const text = [name, description, ...tags, ...agents.map((agent) => agent.name)].join(' ').toLowerCase();
  return q === undefined || text.includes(q.toLowerCase());
}

const firstTool = `const getTime = createTool({
  name: 'getTime',
  description: 'Current time in a city',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }) => timeIn(city),
});

new Agent({ id: 'assistant', model, tools: [getTime] });`;
