import { type Html, html } from './html.ts';

/**
 * The sections that the page's script fills from the API: waiting work and recent runs. The templates contain one item each; the
 * script sets the text of the elements by their `data-field`.
 */
export function activity(prefix: string): Html {
  return html`<form id="unlock" hidden>
      <p>Waiting work and recent runs need the console key.</p>
      <label>Console key <input type="password" name="key" autocomplete="off" required /></label>
      <button type="submit">Show them</button>
      <p class="problem" role="alert"></p>
    </form>
    <section id="waiting" hidden>
      <h2>Waiting <small></small></h2>
      <ul class="rows" aria-live="polite"></ul>
    </section>
    <section id="runs">
      <h2>Recent runs <small></small></h2>
      <p class="none" hidden>
        Nothing has run yet. Runs of agents, workflows and tools appear here, each with its trace.
      </p>
      <noscript>
        <p class="none">
          This list needs JavaScript. The API returns the same data:
          <a href="${prefix}/observability/traces">traces</a>,
          <a href="${prefix}/workflows/executions?status=suspended">executions that wait for a person</a>.
        </p>
      </noscript>
      <div class="rows"></div>
    </section>
    <template id="waiting-item">
      <li>
        <i class="dot" aria-hidden="true"></i>
        <div>
          <b data-field="reason"></b>
          <span class="facts"><span data-field="workflow"></span> · <time data-field="since"></time></span>
          <dl></dl>
        </div>
        <a class="open" hidden>Answer</a>
      </li>
    </template>
    <template id="run-item">
      <details>
        <summary>
          <i class="dot" aria-hidden="true"></i>
          <b data-field="name"></b>
          <span class="about" data-field="about"></span>
          <span class="facts" data-field="status"></span>
          <span class="facts" data-field="spans"></span>
          <span class="facts" data-field="duration"></span>
          <time class="facts" data-field="since"></time>
        </summary>
        <div class="trace"></div>
      </details>
    </template>
    <template id="span-item">
      <details>
        <summary>
          <span data-field="name"></span>
          <span class="track"><i></i></span>
          <span class="facts" data-field="duration"></span>
        </summary>
        <dl></dl>
      </details>
    </template>`;
}
