import { lazy, type ReactNode, Suspense } from 'react';
import { Loading } from '../../ui/notice.tsx';
import type { AgentGraphProps } from './agent-graph.tsx';

const View = lazy(async () => ({ default: (await import('./agent-graph.tsx')).AgentGraphView }));

/** The graph of delegations. Its parts are loaded when the first one is shown. */
export function AgentGraph(props: AgentGraphProps): ReactNode {
  return (
    <Suspense fallback={<Loading what="the graph" />}>
      <View {...props} />
    </Suspense>
  );
}
