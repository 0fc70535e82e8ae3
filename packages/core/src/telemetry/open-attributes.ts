import type { Attributes, AttributeValue } from '@halyard/contracts';

/** Attributes that are being put together. A class, as V8 takes literals that live long for ones that live for ever. */
export class OpenAttributes implements Attributes {
  [name: string]: AttributeValue | undefined;
}
