import type { Connection } from '../api/define/define-channel.ts';

/** A connection to a client that a test lets read. */
export class TestConnection implements Connection {
  bufferedBytes = 0;
  /** Whether texts stay in the buffer. */
  isStalled = false;
  isOpen = true;
  readonly sent: string[] = [];
  /** Texts for a client that had left. */
  readonly refused: string[] = [];
  readonly closes: (readonly [number, string])[] = [];
  #onClose = (): void => {};

  send(text: string): boolean {
    (this.isOpen ? this.sent : this.refused).push(text);
    if (this.isStalled) this.bufferedBytes += text.length;
    return this.isOpen;
  }

  onMessage(): void {}

  onClose(listener: () => void): void {
    this.#onClose = listener;
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }

  /** The client leaves. */
  leave(): void {
    this.isOpen = false;
    this.#onClose();
  }
}
