import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { downloadFile } from './file-download.ts';

const trustedBefore = getCACertificates('default');
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const certificate = selfSigned('files.example', publicKey, privateKey);
const servers: Server[] = [];

beforeAll(() => setDefaultCACertificates([...trustedBefore, certificate]));
afterAll(() => setDefaultCACertificates(trustedBefore));
afterEach(() => Promise.all(servers.splice(0).map((server) => once(server.close(), 'close'))));

describe('downloadFile over https', () => {
  it('verifies the certificate of the name, at the checked address', async () => {
    const names: unknown[] = [];
    const port = await listen(
      secure((request, response) => {
        names.push((request.socket as TLSSocket).servername);
        response.setHeader('content-type', 'text/plain').end('secret');
      }),
    );

    const { data } = await download(`https://files.example:${port}/a`);

    expect(Buffer.from(data).toString()).toBe('secret');
    expect(names).toEqual(['files.example']);
  });

  it('refuses a certificate of another name with the message of any failed fetch', async () => {
    const port = await listen(secure((_request, response) => response.end('secret')));

    await expect(download(`https://other.example:${port}/a`)).rejects.toThrow(
      `The file at https://other.example:${port}/a is not accepted: it could not be fetched from a public address`,
    );
  });

  it('follows a redirect from http to https, but not from https to http', async () => {
    const plainPort = await listen(
      createHttpServer((_request, response) =>
        response.writeHead(302, { location: `https://files.example:${securePort}/b` }).end(),
      ),
    );
    const securePort = await listen(
      secure((request, response) => {
        if (request.url === '/b') response.end('secret');
        else response.writeHead(302, { location: `http://files.example:${plainPort}/` }).end();
      }),
    );

    const { data } = await download(`http://files.example:${plainPort}/`);

    expect(Buffer.from(data).toString()).toBe('secret');
    await expect(download(`https://files.example:${securePort}/a`)).rejects.toThrow(
      `The file at https://files.example:${securePort}/a is not accepted: it redirects from https to http`,
    );
  });
});

function download(url: string): ReturnType<typeof downloadFile> {
  return downloadFile(url, {
    allowAddress: (ip) => ip === '127.0.0.1',
    lookup: async () => [{ address: '127.0.0.1' }],
  });
}

function secure(listener: RequestListener): Server {
  return createHttpsServer({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: certificate }, listener);
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * A certificate for one name, made on the spot so that no key is kept in the repository. Source:
 * RFC 5280, section 4.1.
 */
function selfSigned(name: string, key: KeyObject, signer: KeyObject): string {
  const ecdsaWithSha256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const commonName = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)))));
  const validity = der(0x30, der(0x18, Buffer.from('20200101000000Z')), der(0x18, Buffer.from('99991231235959Z')));
  const subjectAltName = der(
    0x30,
    Buffer.from('0603551d11', 'hex'),
    der(0x04, der(0x30, der(0x82, Buffer.from(name)))),
  );
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serialNumber = der(0x02, Buffer.from([1]));
  const publicKeyInfo = key.export({ type: 'spki', format: 'der' });
  const extensions = der(0xa3, der(0x30, subjectAltName));
  const content = der(
    0x30,
    version3,
    serialNumber,
    ecdsaWithSha256,
    commonName,
    validity,
    commonName,
    publicKeyInfo,
    extensions,
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, signer));
  const lines = der(0x30, content, ecdsaWithSha256, signature).toString('base64').replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
