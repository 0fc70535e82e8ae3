import type { AssistantPart } from '../../../model/providers/model-port.ts';

export type ProviderOptions = NonNullable<Extract<AssistantPart, { type: 'text' }>['providerOptions']>;

export type WithMetadata = { readonly providerMetadata?: ProviderOptions | undefined };

/** The metadata of a part, for its event. */
export function providerFields({
  providerMetadata,
}: WithMetadata): { readonly providerMetadata: ProviderOptions } | undefined {
  return providerMetadata && { providerMetadata };
}

/** The metadata of a part, for the prompt of the next call. */
export function asOptions({ providerMetadata }: WithMetadata): { providerOptions: ProviderOptions } | undefined {
  return providerMetadata && { providerOptions: providerMetadata };
}
