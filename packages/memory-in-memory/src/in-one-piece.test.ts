import { expect, it } from 'vitest';
import { inOnePiece } from './in-one-piece.ts';

it('changes no text', () => {
  for (const id of ['', 'a', 'Größe 漢字 🦆', 'NUL \0', 'half \uD83E', '\uDD86 half', '\uFEFF mark']) {
    expect(inOnePiece(id)).toBe(id);
  }
});
