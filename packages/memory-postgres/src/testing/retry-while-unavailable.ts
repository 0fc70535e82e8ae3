import { isHalyardError } from '@halyard/contracts';

/** Sends a call until it is answered by something other than "not now". */
export async function again<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries > 200 || !isHalyardError(error) || error.code !== 'STORAGE_UNAVAILABLE') throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
