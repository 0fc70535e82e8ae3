import jsonwebtoken from 'jsonwebtoken';
import { claims } from './auth.ts';

/**
 * Signs a token that is valid for an hour, for development and tests. In production your sign-in
 * does this.
 */
export function signToken(userId: string): string {
  const secret = process.env['JWT_SECRET'] ?? '';
  return jsonwebtoken.sign({}, secret, { ...claims, algorithm: 'HS256', expiresIn: '1h', subject: userId });
}
