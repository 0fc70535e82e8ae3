import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import styles from './system.module.css';

export function McpServerList(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['system', 'mcp'],
    queryFn: ({ signal }) => readData(api.GET('/mcp/servers', { signal })),
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the MCP servers" />;
  if (data.length === 0) {
    return (
      <EmptyState title="No MCP server is registered" snippet={example}>
        Agents can use the tools of MCP servers, and this server can offer its own over MCP.
      </EmptyState>
    );
  }
  return data.map((server) => <McpServer key={server.id} {...server} />);
}

interface McpServerProps {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
  readonly transport: string;
  readonly url: string | null;
  readonly isServedHere: boolean;
}

/** An external server is asked for its tools only when somebody wants to see them. */
function McpServer({ id, name, description, transport, url, isServedHere }: McpServerProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['system', 'mcp', id],
    enabled: isOpen,
    queryFn: ({ signal }) =>
      readData(api.GET('/mcp/servers/{serverId}/tools', { params: { path: { serverId: id } }, signal })),
  });
  return (
    <Section
      title={name}
      about={`${isServedHere ? 'served here' : transport}${url === null ? '' : ` · ${url}`}`}
      actions={
        <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide the tools' : 'Show the tools'}
        </Button>
      }
    >
      {description && <p className={styles.about}>{description}</p>}
      {isOpen && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isOpen && data !== undefined && (
        <ul className={styles.warnings}>
          {data.map((tool) => (
            <li key={tool.name}>
              <code>{tool.name}</code>
              <span>{tool.description}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const example = `import { mcpServer } from '@halyard/mcp';

createServer({ agents, mcpServers: [mcpServer({ id: 'office', version: '1.0.0', agents })] });`;
