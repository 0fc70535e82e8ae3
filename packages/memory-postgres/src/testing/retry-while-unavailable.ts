import { isHalyardError } from '@halyard/contracts';

/** Repeats a call while the storage is unavailable. */
export async function retryWhileUnavailable<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries > 200 || !isHalyardError(error) || error.code !== 'STORAGE_UNAVAILABLE') throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
