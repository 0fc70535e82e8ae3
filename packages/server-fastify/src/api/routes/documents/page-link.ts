/** A page of the app, or any other page, that the landing page links to. */
export interface PageLink {
  readonly title: string;
  /** A path of the server, such as `/chat`, which is not prefixed, or an http(s) URL. */
  readonly url: string;
  readonly description?: string;
  /**
   * Ids of the agents that people use on this page. Their cards link to it with the query parameter
   * `agent`.
   */
  readonly agents?: readonly string[];
  /** Ids of the workflows that people use on this page. Their cards link to it. */
  readonly workflows?: readonly string[];
}
