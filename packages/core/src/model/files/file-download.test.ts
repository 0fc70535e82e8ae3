import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AbortedError, InvalidInputError, TimeLimitError } from '@halyard/contracts';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { decodeDataUrl, downloadFile, type DownloadFileOptions } from './file-download.ts';

const UNREACHABLE = 'it could not be fetched from a public address';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The one server that these tests may reach. It counts what reaches it, and each test ends with no
 * socket of it open.
 */
let server: Server;
let sockets: Socket[];
let requests: IncomingMessage[];
let answer: Answer;
let base: string;

beforeEach(async () => {
  sockets = [];
  requests = [];
  answer = (_request, response) => response.end();
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${portOf(server)}`;
});

afterEach(async () => {
  await Promise.all(sockets.map(whenClosed));
  expect(await openConnections()).toBe(0);
  server.close();
});

describe('downloadFile', () => {
  it('returns the bytes and the media type', async () => {
    answer = (_request, response) =>
      response.setHeader('content-type', 'Image/PNG; charset=binary').end(Buffer.from([137, 80, 0, 255]));

    const file = await download(`${base}/cat.png?size=2#top`);

    expect(file).toEqual({ data: new Uint8Array([137, 80, 0, 255]), mediaType: 'image/png' });
    expect(requests.map(({ url }) => url)).toEqual(['/cat.png?size=2']);
  });

  it('accepts a URL object, an empty file, and a missing or invalid media type', async () => {
    const unnamed = await download(new URL(base));
    answer = (_request, response) => response.setHeader('content-type', 'picture').end();
    const misnamed = await download(base);

    expect(unnamed).toEqual({ data: new Uint8Array(), mediaType: undefined });
    expect(misnamed.mediaType).toBeUndefined();
  });

  it('collects a body of many chunks without a length', async () => {
    const piece = Buffer.alloc(50_000, 'abc');
    answer = (_request, response) => {
      for (let count = 0; count < 9; count += 1) response.write(piece);
      response.end();
    };

    const { data } = await download(base);

    expect(Buffer.compare(data, Buffer.concat(Array.from({ length: 9 }, () => piece)))).toBe(0);
  });

  it('sends no data of the app, and requests an unencoded body on its own connection', async () => {
    await download(base);

    expect(requests[0]?.headers).toEqual({
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
      host: base.slice('http://'.length),
      'user-agent': 'halyard',
    });
  });

  it('resolves a name once and connects to its addresses, with the name as host', async () => {
    const names = namesThatAnswer(['127.0.0.1'], ['10.0.0.1']);

    await download(`http://files.example:${portOf(server)}/`, { lookup: names.lookup });

    expect(names.asked).toEqual(['files.example']);
    expect(requests[0]?.headers.host).toBe(`files.example:${portOf(server)}`);
  });

  it('tries the next address when one does not answer', async () => {
    const { lookup } = namesThatAnswer(['::1', '127.0.0.1']);

    await download(`http://files.example:${portOf(server)}/`, {
      lookup,
      allowAddress: (ip) => ip === '::1' || ip === '127.0.0.1',
    });

    expect(requests).toHaveLength(1);
  });
});

describe('downloadFile and addresses that are not public', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.1:PORT/',
    'http://0X7F.0.0.0x1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://017700000001:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://127。0。0。1:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http:\\\\127.0.0.1:PORT\\',
    'http:127.0.0.1:PORT/',
    ' http://127.0.0.1:PORT/ ',
    'ht\ntp://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'HTTP://LOCALHOST:PORT/',
    'http://localhost:PORT/',
    'http://0:PORT/',
    'http://0.0.0.0:PORT/',
    'http://127.255.255.254:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[::ffff:0:127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[64:ff9b::127.0.0.1]:PORT/',
    'http://[64:ff9b:1::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://[fc00::1]:PORT/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/latest/meta-data/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('refuses %j without connecting', async (hostile) => {
    const error = await refusal(downloadFile(hostile.replace('PORT', String(portOf(server)))));

    expect(error.message).toMatch(
      /^The file at https?:\/\/\S+ is not accepted: it could not be fetched from a public address$/,
    );
    expect(error.cause).toBeUndefined();
    expect(sockets).toHaveLength(0);
  });

  it.each([
    ['127.0.0.1.nip.io', ['127.0.0.1']],
    ['localhost.', ['127.0.0.1', '::1']],
    ['localtest.me', ['::1']],
    ['mapped.example', ['::ffff:127.0.0.1']],
    ['metadata.google.internal', ['169.254.169.254']],
    ['intranet', ['10.1.2.3']],
    ['zone.example', ['fe80::1%lo']],
    ['mixed.example', ['93.184.216.34', '127.0.0.1']],
    ['mixed-again.example', ['127.0.0.1', '2606:4700:4700::1111']],
    ['nowhere.example', []],
    ['odd.example', ['not an address']],
  ])('refuses the name %s, which stands for %j, without connecting', async (name, addresses) => {
    const { lookup } = namesThatAnswer(addresses);

    const error = await refusal(downloadFile(`http://${name}:${portOf(server)}/a`, { lookup }));

    expect(error.message).toBe(`The file at http://${name}:${portOf(server)}/a is not accepted: ${UNREACHABLE}`);
    expect(sockets).toHaveLength(0);
  });

  it.each([
    ['file:///etc/passwd', 'The file at file: is not accepted: only http and https URLs are fetched'],
    ['ftp://files.example/a', 'The file at ftp: is not accepted: only http and https URLs are fetched'],
    ['gopher://127.0.0.1:6379/_FLUSHALL', 'The file at gopher: is not accepted: only http and https URLs are fetched'],
    ['javascript:alert(1)', 'The file at javascript: is not accepted: only http and https URLs are fetched'],
    ['blob:http://127.0.0.1/1', 'The file at blob: is not accepted: only http and https URLs are fetched'],
    ['data:text/plain,secret', 'The file at data: is not accepted: only http and https URLs are fetched'],
    ['ws://127.0.0.1/', 'The file at ws: is not accepted: only http and https URLs are fetched'],
    ['unix:/var/run/docker.sock', 'The file at unix: is not accepted: only http and https URLs are fetched'],
    [
      'http://user:pass@files.example/a',
      'The file at http://files.example/a is not accepted: its URL carries a user name or password',
    ],
    [
      'http://93.184.216.34@127.0.0.1/',
      'The file at http://127.0.0.1/ is not accepted: its URL carries a user name or password',
    ],
    [
      'https://:pass@files.example/',
      'The file at https://files.example/ is not accepted: its URL carries a user name or password',
    ],
    ['/etc/passwd', 'The file URL is not accepted: it is not a valid URL'],
    ['//127.0.0.1/', 'The file URL is not accepted: it is not a valid URL'],
    ['', 'The file URL is not accepted: it is not a valid URL'],
    ['http://', 'The file URL is not accepted: it is not a valid URL'],
    ['http://[fe80::1%25lo]/', 'The file URL is not accepted: it is not a valid URL'],
    ['http://127.0.0.1:99999/', 'The file URL is not accepted: it is not a valid URL'],
    ['http://256.256.256.256/', 'The file URL is not accepted: it is not a valid URL'],
    [`http://files.example/${'a'.repeat(9000)}`, 'The file URL is not accepted: it is longer than 8192 characters'],
  ])('refuses %s', async (hostile, message) => {
    expect((await refusal(downloadFile(hostile))).message).toBe(message);
  });

  it('has one message for a refused address, an unknown name, a closed port and a failure status', async () => {
    const idle = createServer().listen(0, '127.0.0.1');
    await once(idle, 'listening');
    const closedPort = portOf(idle);
    idle.close();
    await once(idle, 'close');
    answer = (_request, response) => response.writeHead(403).end('keep out');
    const unknown = () => Promise.reject(new TypeError('getaddrinfo ENOTFOUND internal-db'));

    const errors = [
      await refusal(downloadFile(`${base}/x`)),
      await refusal(download('http://internal-db/x', { lookup: unknown })),
      await refusal(download(`http://127.0.0.1:${closedPort}/x`)),
      await refusal(download(`${base}/x`)),
    ];

    expect(errors.map(({ message }) => message.replace(/http:\S+/, 'URL'))).toEqual(
      errors.map(() => `The file at URL is not accepted: ${UNREACHABLE}`),
    );
  });

  it('omits query and fragment from the error, and shortens a long path', async () => {
    const error = await refusal(downloadFile(`http://127.0.0.1/${'long/'.repeat(100)}?token=secret#secret`));

    expect(error.message).not.toContain('secret');
    expect(error.message.length).toBeLessThan(300);
  });
});

describe('downloadFile and redirects', () => {
  it.each([301, 302, 303, 307, 308])('follows a %i, relative or absolute', async (status) => {
    answer = (request, response) => {
      if (request.url === '/first') response.writeHead(status, { location: 'second' }).end('moved');
      else if (request.url === '/second') response.writeHead(status, { location: `${base}/third?a=b` }).end();
      else response.end('here');
    };

    const { data } = await download(`${base}/first`);

    expect(Buffer.from(data).toString()).toBe('here');
    expect(requests.map(({ url }) => url)).toEqual(['/first', '/second', '/third?a=b']);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://2130706434/',
    '//192.168.0.1/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'http://user:pass@127.0.0.1:PORT/',
    'http://[broken/',
  ])('refuses a redirect to %s with the same message as any refused address', async (location) => {
    const target = location.replace('PORT', String(portOf(server)));
    answer = (_request, response) => response.writeHead(302, { location: target }).end();

    const error = await refusal(download(`${base}/start`));

    expect(error.message).toBe(`The file at ${base}/start is not accepted: ${UNREACHABLE}`);
    expect(requests).toHaveLength(1);
  });

  it('checks a name again at each redirect', async () => {
    const names = namesThatAnswer(['127.0.0.1'], ['10.0.0.1']);
    answer = (_request, response) => response.writeHead(302, { location: '/again' }).end();

    await refusal(download(`http://files.example:${portOf(server)}/`, { lookup: names.lookup }));

    expect(names.asked).toEqual(['files.example', 'files.example']);
    expect(requests).toHaveLength(1);
  });

  it('follows at most five redirects', async () => {
    answer = (request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('here');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    };

    const { data } = await download(`${base}/5`);
    const error = await refusal(download(`${base}/6`));

    expect(Buffer.from(data).toString()).toBe('here');
    expect(error.message).toBe(`The file at ${base}/6 is not accepted: it redirects more than 5 times`);
  });

  it('ends a redirect loop', async () => {
    answer = (_request, response) => response.writeHead(302, { location: '/' }).end();

    const error = await refusal(download(base, { maxRedirects: 2 }));

    expect(error.message).toBe(`The file at ${base}/ is not accepted: it redirects more than 2 times`);
    expect(requests).toHaveLength(3);
  });

  it('does not wait for the body of a redirect', async () => {
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/file' }).write('never ends');
      else response.end('here');
    };

    expect(Buffer.from((await download(base)).data).toString()).toBe('here');
  });

  it.each([300, 304, 302])('refuses a %i without a location', async (status) => {
    answer = (_request, response) => response.writeHead(status).end();

    expect((await refusal(download(base))).message).toContain(UNREACHABLE);
  });
});

describe('downloadFile and its limits', () => {
  it('accepts a file of exactly the limit', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(100_000));

    expect((await download(base, { maxBytes: 100_000 })).data).toHaveLength(100_000);
  });

  it('refuses a length above the limit before the body arrives', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-length': 10 * 1024 * 1024 + 1 }).flushHeaders();

    expect((await refusal(download(`${base}/big`))).message).toBe(
      `The file at ${base}/big is not accepted: it is larger than 10 MB`,
    );
  });

  it('refuses a body without a length, or without an end, when it exceeds the limit', async () => {
    answer = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', more);
      more();
    };

    expect((await refusal(download(base))).message).toMatch(/it is larger than 10 MB$/);
    expect((await refusal(download(base, { maxBytes: 1000 }))).message).toMatch(/it is larger than 1000 bytes$/);
  });

  it.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'unknown'])('refuses a body encoded as %s', async (encoding) => {
    answer = (_request, response) => response.setHeader('content-encoding', encoding).end('x');

    expect((await refusal(download(base))).message).toMatch(/its server sends it compressed$/);
  });

  it('accepts a body with the encoding identity', async () => {
    answer = (_request, response) => response.setHeader('content-encoding', 'Identity').end('x');

    expect((await download(base)).data).toHaveLength(1);
  });

  it.each<[string, DownloadFileOptions, Answer]>([
    ['a name that is never resolved', { lookup: () => new Promise(() => {}) }, () => {}],
    ['a server that never answers', {}, () => {}],
    [
      'a body that stops coming',
      {},
      (_request, response) => response.writeHead(200, { 'content-length': 10 }).write('x'),
    ],
    [
      'redirects that never end',
      { maxRedirects: Infinity },
      (_request, response) => response.writeHead(302, { location: '/' }).end(),
    ],
  ])('gives up on %s', async (_what, options, slow) => {
    answer = slow;
    const url = `http://${options.lookup === undefined ? '127.0.0.1' : 'slow.example'}:${portOf(server)}/slow`;

    const error = await refusal(download(url, { ...options, timeoutMs: 50 }));

    expect(error.message).toBe(`The file at ${url} is not accepted: it took longer than 0.05 s`);
  });

  it.each<[string, Answer]>([
    ['before it answers', (request) => request.socket.destroy()],
    [
      'within a body of known length',
      (_request, response) => response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy()),
    ],
    ['within a body in pieces', (_request, response) => response.write('x', () => response.destroy())],
    ['to speak something else than HTTP', (request) => request.socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'to speak another protocol',
      (request) =>
        request.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    ],
    ['with a length that is none', (request) => request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n')],
    ['with headers without end', (request) => request.socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`)],
  ])('refuses a file whose server breaks off %s', async (_when, breakOff) => {
    answer = breakOff;

    const error = await refusal(download(`${base}/a`));

    expect(error.message).toBe(`The file at ${base}/a is not accepted: ${UNREACHABLE}`);
  });
});

describe('downloadFile and the signal', () => {
  it('stops when the signal aborts, while it waits for the answer or reads the body', async () => {
    for (const pending of [() => {}, (_request: IncomingMessage, response: ServerResponse) => response.write('x')]) {
      const controller = new AbortController();
      answer = (request, response) => {
        pending(request, response);
        controller.abort('gone');
      };

      const error = await download(base, { signal: controller.signal }).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(AbortedError);
      expect(error).toHaveProperty('cause', 'gone');
    }
  });

  it('does nothing when the signal has aborted before', async () => {
    const names = namesThatAnswer(['127.0.0.1']);

    await expect(
      download('http://files.example/', { lookup: names.lookup, signal: AbortSignal.abort() }),
    ).rejects.toBeInstanceOf(AbortedError);
    expect(names.asked).toEqual([]);
  });

  it("throws the signal's own reason when it is an error of Halyard's", async () => {
    const reason = new TimeLimitError('The run', 1000);

    await expect(download(base, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('leaves no listener on the signal, and no timer', async () => {
    const { signal } = new AbortController();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());

    await download(base, { signal });
    await refusal(downloadFile(base, { signal }));

    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('decodeDataUrl', () => {
  it.each([
    ['data:image/png;base64,iVBORw0KGgo=', 'image/png', 'iVBORw0KGgo='],
    ['data:image/png;base64,iVBORw0KGgo', 'image/png', 'iVBORw0KGgo='],
    ['DATA:Image/PNG;name=a.png;BASE64,iVBORw0KGgo=', 'image/png', 'iVBORw0KGgo='],
    ['data:image/png;base64,iVBO Rw0K\r\nGgo%3D#part', 'image/png', 'iVBORw0KGgo='],
    ['data:application/octet-stream;base64,-_8', 'application/octet-stream', '+/8='],
    ['data:;base64,aGk=', 'text/plain', 'aGk='],
    ['data:text/plain;base64,', 'text/plain', ''],
    ['data:,hello%20world', 'text/plain', btoa('hello world')],
    ['data:;charset=utf-8,%C3%A9', 'text/plain', Buffer.from('é').toString('base64')],
    ['data:text/html,é,<p>', 'text/html', Buffer.from('é,<p>').toString('base64')],
    ['data:application/x-bytes,%ff%00%FE', 'application/x-bytes', '/wD+'],
    ['data:image/svg+xml;utf8,<svg/>#here', 'image/svg+xml', btoa('<svg/>')],
  ])('reads %s', (url, mediaType, data) => {
    expect(decodeDataUrl(url)).toEqual({ mediaType, data });
  });

  it.each([
    ['data:image/png;base64', 'it is not of the form data:<media type>;base64,<content>'],
    ['https://files.example/,', 'it is not of the form data:<media type>;base64,<content>'],
    ['', 'it is not of the form data:<media type>;base64,<content>'],
    ['data:image,x', 'its media type is malformed'],
    ['data:base64,aGk=', 'its media type is malformed'],
    ['data:a/b\r\nx: y;base64,aGk=', 'its media type is malformed'],
    ['data:text/plain,100%', 'its content has a malformed percent-encoding'],
    ['data:text/plain,%4', 'its content has a malformed percent-encoding'],
    ['data:text/plain,%zz', 'its content has a malformed percent-encoding'],
    ['data:image/png;base64,a', 'its content is not base64'],
    ['data:image/png;base64,a=Gk', 'its content is not base64'],
    ['data:image/png;base64,aGk=====', 'its content is not base64'],
    ['data:image/png;base64,aG$k', 'its content is not base64'],
    ['data:image/png;base64,aGké', 'its content is not base64'],
  ])('refuses %j', async (url, why) => {
    const error = await refusal(Promise.resolve().then(() => decodeDataUrl(url)));

    expect(error.message).toBe(`The data: URL is not accepted: ${why}`);
  });

  it('refuses content above the limit and accepts the rest', async () => {
    const tenMegabytes = 'A'.repeat(((10 * 1024 * 1024 - 1) / 3) * 4);

    expect(decodeDataUrl(`data:a/b;base64,${tenMegabytes}`).data).toHaveLength(tenMegabytes.length);
    const error = await refusal(Promise.resolve().then(() => decodeDataUrl(`data:a/b;base64,${tenMegabytes}AAAA`)));
    expect(error.message).toBe('The data: URL is not accepted: it is larger than 10 MB');
    expect(() => decodeDataUrl('data:,four', 3)).toThrow('it is larger than 3 bytes');
  });
});

/** `downloadFile` that treats 127.0.0.1 as a public address. */
function download(url: string | URL, options: DownloadFileOptions = {}): ReturnType<typeof downloadFile> {
  return downloadFile(url, { allowAddress: (ip) => ip === '127.0.0.1', ...options });
}

async function refusal(work: Promise<unknown>): Promise<InvalidInputError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ kind: 'invalid-input', code: 'FILE_NOT_ACCEPTED' });
  return error as InvalidInputError;
}

/** A name service that returns one answer after the other, and repeats the last one. */
function namesThatAnswer(...answers: string[][]): {
  asked: string[];
  lookup: NonNullable<DownloadFileOptions['lookup']>;
} {
  const asked: string[] = [];
  return {
    asked,
    lookup: async (hostname) => {
      asked.push(hostname);
      return (answers[asked.length - 1] ?? answers.at(-1) ?? []).map((address) => ({ address }));
    },
  };
}

function portOf(listening: Server): number {
  return (listening.address() as AddressInfo).port;
}

/** Settles only on close: some tests expect the client to reset the connection. */
function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
