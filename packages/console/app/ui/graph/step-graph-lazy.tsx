import { lazy, type ReactNode, Suspense } from 'react';
import { Loading } from '../notice.tsx';
import type { StepGraphProps } from './step-graph.tsx';

const View = lazy(async () => ({ default: (await import('./step-graph.tsx')).StepGraphView }));

/** The graph of a workflow. Its parts are loaded when the first graph is shown. */
export function StepGraph(props: StepGraphProps): ReactNode {
  return (
    <Suspense fallback={<Loading what="the graph" />}>
      <View {...props} />
    </Suspense>
  );
}
