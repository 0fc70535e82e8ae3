/**
 * Prints a token for a user that is valid for ten minutes, in place of the app's sign-in:
 * `node src/sign-token.ts ada`.
 */
import jsonwebtoken from 'jsonwebtoken';
import { readJwtSettings } from './settings.ts';

const [subject] = process.argv.slice(2);
const { audience, issuer, secrets } = readJwtSettings();
const [secret] = secrets;
if (subject === undefined || secret === undefined) throw new Error('Usage: node src/sign-token.ts <user id>');
console.log(jsonwebtoken.sign({}, secret, { algorithm: 'HS256', audience, expiresIn: '10m', issuer, subject }));
