import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { type ToolSummary, toolsQuery } from '../tools/tools-query.ts';
import type { AgentSummary } from './agents-query.ts';
import styles from './agents.module.css';

/** The tools of an agent with their schemas. */
export function AgentTools({ agent }: { readonly agent: AgentSummary }): ReactNode {
  const { data, error, isPending, refetch } = useQuery(toolsQuery);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading what="the tools" />;
  const tools = data.filter(({ agents }) => agents.some(({ id }) => id === agent.id));
  if (tools.length === 0) {
    return (
      <div className={styles.about}>
        <p className={styles.soft}>
          {agent.settings.tools === 'function'
            ? 'A function chooses the tools for each run. The traces of runs show them.'
            : `This agent has no tools of its own${agent.subAgents.length > 0 ? ', but it delegates to its sub-agents.' : '. Give it one:'}`}
        </p>
        {agent.subAgents.length === 0 && agent.settings.tools === 'fixed' && (
          <CodeBlock label="Example" code={`new Agent({ id: '${agent.id}', tools: [getTime], … });`} />
        )}
      </div>
    );
  }
  return (
    <ul className={styles.tools}>
      {tools.map((tool) => (
        <Tool key={tool.name} tool={tool} />
      ))}
    </ul>
  );
}

function Tool({ tool }: { readonly tool: ToolSummary }): ReactNode {
  const { clientSide, description, inputSchema, name, needsApproval, outputSchema } = tool;
  return (
    <li>
      <div className={styles.toolHead}>
        <Link to="/tools/$toolName" params={{ toolName: name }}>
          <code>{name}</code>
        </Link>
        {needsApproval && <StateMark state="waiting" word="needs approval" />}
        {clientSide === true && <span className={styles.soft}>runs in the client</span>}
      </div>
      <p>{description}</p>
      <div className={styles.schemas}>
        <JsonView label={`Input schema of ${name}`} value={inputSchema['properties'] ?? inputSchema} depth={2} />
        {outputSchema !== null && <JsonView label={`Output schema of ${name}`} value={outputSchema} depth={2} />}
      </div>
    </li>
  );
}
