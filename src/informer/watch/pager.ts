import { InformerError } from '../../kit/error.ts';
import type { ListOptions } from '../../model/list-options.ts';
import type { ListPage } from '../../model/object.ts';
import { isExpired } from '../../model/status.ts';

/** The progress of a list after a page. */
export interface ListProgress {
  readonly objects: number;
  readonly pages: number;
  /** The number of objects that are still to come, when the server gives it. */
  readonly remaining: number | undefined;
}

/**
 * Collects a whole list page by page. Its version is that of the first page, because all pages come from one snapshot.
 * Promises: pages after the first carry the token, the limit and the selectors, never a version. When a token expires,
 * the whole list is requested once more, unpaged, with the options of the first request. Errors of the source are
 * passed on unchanged.
 * Source: client-go tools/pager/pager.go.
 */
export async function listAll<T>(
  list: (options: ListOptions) => Promise<ListPage<T>>,
  options: ListOptions,
  onPage: (progress: ListProgress) => void = () => {},
): Promise<ListPage<T>> {
  const first = await list(options);
  let pages = 1;
  const report = (page: ListPage<T>, objects: number) => onPage({ objects, pages, remaining: page.remainingItemCount });
  report(first, first.items.length);
  if (!first.continue) return first;
  const items = [...first.items];
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  const tokens = new Set<string>();
  for (let token: string | undefined = first.continue; token; ) {
    if (tokens.size === tokens.add(token).size)
      throw new InformerError(
        'decode',
        `the list does not end: page ${pages} continues at a page that was already read`,
      );
    let page: ListPage<T>;
    try {
      page = await list({ ...rest, continue: token });
    } catch (error) {
      if (isExpired(error)) return await unpaged(list, options);
      throw error;
    }
    for (const item of page.items) items.push(item);
    pages++;
    report(page, items.length);
    token = page.continue;
  }
  return { ...first, items, continue: undefined, remainingItemCount: undefined };
}

function unpaged<T>(list: (options: ListOptions) => Promise<ListPage<T>>, options: ListOptions): Promise<ListPage<T>> {
  const { limit: _, continue: __, ...rest } = options;
  return list(rest);
}
