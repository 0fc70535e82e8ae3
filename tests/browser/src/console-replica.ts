import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { createClaim } from './claim-workflow.ts';

/**
 * A replica of an app, as a process of its own. It prints its address and stops when its input
 * ends.
 */
const storage = createPostgresStorage({ connectionString: process.argv[2] ?? '' });
const server = await createServer({ workflows: [createClaim({ isOpen: true })], storage, logger: false });
console.log(await server.listen({ port: 0 }));
process.stdin.resume();
process.stdin.on('end', () => void server.close().then(() => process.exit(0)));
