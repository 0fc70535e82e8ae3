import { WorkflowRuntime } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createRestateEngine } from '../create-restate-engine.ts';
import { orderWorkflow } from './order-workflow.ts';
import { shipmentWorkflow } from './shipment-workflow.ts';

/** A process that runs executions: `node worker.ts <ingress> <port> <directory>`. */
const [, , ingress = '', port = '', directory = ''] = process.argv;

const engine = createRestateEngine({ ingress, serve: { port: Number(port), host: '127.0.0.1' } });
const logger = { debug: () => {}, info: () => {}, warn: report, error: report };
const storage = await engine.open(createInMemoryStorage(), { logger });
const workflows = [orderWorkflow(directory), shipmentWorkflow()];
const runtime = new WorkflowRuntime({ workflows, storage, services: { logger } });
runtime.start();
process.stdout.write('ready\n');
process.once('SIGTERM', () => {
  void runtime.stop(5_000).then(() => storage.executions.disconnect());
});

function report(details: object, message: string): void {
  process.stderr.write(`${process.pid} ${message} ${JSON.stringify(details)}\n`);
}
