import jwt from 'jsonwebtoken';
import { cookies } from 'next/headers';

const name = 'session';
const hours = 8;

/** Signs the user in: their token is in a cookie that scripts of the page cannot read. */
export async function openSession(userId: string): Promise<void> {
  const token = jwt.sign({}, secret(), {
    subject: userId,
    audience: 'harbour',
    issuer: 'harbour-web',
    expiresIn: `${hours}h`,
  });
  // Strict: pages of other sites cannot make a browser send it.
  const isSecure = process.env['NODE_ENV'] === 'production';
  (await cookies()).set(name, token, { httpOnly: true, sameSite: 'strict', secure: isSecure, maxAge: hours * 3_600 });
}

export async function closeSession(): Promise<void> {
  (await cookies()).delete(name);
}

/** The token of the request, for the Halyard server, which verifies it. */
export async function sessionToken(): Promise<string | undefined> {
  return (await cookies()).get(name)?.value;
}

/** The user of the request; undefined without a valid token. */
export async function signedInUser(): Promise<string | undefined> {
  const token = await sessionToken();
  if (token === undefined) return undefined;
  try {
    const { sub } = jwt.verify(token, secret(), {
      algorithms: ['HS256'],
      audience: 'harbour',
      issuer: 'harbour-web',
    }) as jwt.JwtPayload;
    return sub;
  } catch {
    return undefined;
  }
}

function secret(): string {
  const value = process.env['JWT_SECRET'];
  if (value === undefined || value === '') throw new Error('Set JWT_SECRET, as for the Halyard server');
  return value;
}
