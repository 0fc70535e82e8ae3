import { Type } from '@sinclair/typebox';
import { definePage } from '../../define/define-page.ts';

const metrics = definePage({
  method: 'GET',
  url: '/metrics',
  tier: 'console',
  operationId: 'getMetrics',
  tag: 'Observability',
  summary: 'Metrics of this process, for Prometheus',
  description:
    'In the text format of Prometheus. Each process reports only its own values, also while it shuts down. No value belongs to a single user.',
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  headers: { 'cache-control': 'no-store' },
  content: Type.String(),
  handler: async (_call, services) => ({ body: await services.metrics.text() }),
});

export const metricsPages = [metrics];
