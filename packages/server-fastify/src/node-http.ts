import type nodeHttp from 'node:http';

/**
 * `node:http`, asked for where an import statement would read each of its exports: behind `WebSocket` is all of undici, which takes
 * 25 ms of a start.
 */
export const http: typeof nodeHttp = process.getBuiltinModule('node:http');
