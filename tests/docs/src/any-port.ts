import { Server } from 'node:net';

// Loaded into the process of a sample before the sample. The server listens on a free port and
// reports it to the test.
const { listen } = Server.prototype;

Server.prototype.listen = function (this: Server, ...[options, ...rest]: unknown[]): Server {
  this.once('listening', () => {
    const address = this.address();
    if (typeof address === 'object' && address !== null) process.send?.(`http://127.0.0.1:${address.port}`);
  });
  const free = typeof options === 'object' && options !== null ? { ...options, port: 0 } : 0;
  return Reflect.apply<Server, unknown[], Server>(listen as (...args: unknown[]) => Server, this, [free, ...rest]);
};
