/** The same options for apps with `exactOptionalPropertyTypes`, which may pass `undefined`. */
export type AcceptsUndefined<Options> = {
  [Name in keyof Options]: undefined extends Options[Name] ? Options[Name] | undefined : Options[Name];
};
