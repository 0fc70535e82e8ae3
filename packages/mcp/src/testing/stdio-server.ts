import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { outsideServer } from './outside-server.ts';

serveStdio(() => outsideServer());
