import { InformerError } from '../../kit/error.ts';
import type { ListOptions } from '../../model/list-options.ts';
import type { ListPage } from '../../model/object.ts';
import { isExpired } from '../../model/status.ts';

/** How far a list has come, after each page. */
export interface ListProgress {
  readonly objects: number;
  readonly pages: number;
  /** What the server says is still to come, when it says so. */
  readonly remaining: number | undefined;
}

/**
 * Collects a whole list page by page. The version is the first page's: all pages come from one snapshot.
 *
 * Promises: pages after the first carry the token, limit and selectors, never a version; when a token expires, the whole list is asked
 * for once more, unpaged, as it was first asked for. Errors of the port come through as they are.
 * Source: client-go tools/pager/pager.go.
 */
export async function listAll<T>(
  list: (options: ListOptions) => Promise<ListPage<T>>,
  options: ListOptions,
  onPage: (progress: ListProgress) => void = () => {},
): Promise<ListPage<T>> {
  const first = await list(options);
  let pages = 1;
  const tell = (page: ListPage<T>, objects: number) => onPage({ objects, pages, remaining: page.remainingItemCount });
  tell(first, first.items.length);
  if (!first.continue) return first;
  const items = [...first.items];
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  const tokens = new Set<string>();
  for (let token: string | undefined = first.continue; token; ) {
    if (tokens.size === tokens.add(token).size)
      throw new InformerError('decode', `the list does not end: page ${pages} continues at a page that was had`);
    let page: ListPage<T>;
    try {
      page = await list({ ...rest, continue: token });
    } catch (error) {
      if (isExpired(error)) return await unpaged(list, options);
      throw error;
    }
    for (const item of page.items) items.push(item);
    pages++;
    tell(page, items.length);
    token = page.continue;
  }
  return { ...first, items, continue: undefined, remainingItemCount: undefined };
}

function unpaged<T>(list: (options: ListOptions) => Promise<ListPage<T>>, options: ListOptions): Promise<ListPage<T>> {
  const { limit: _, continue: __, ...rest } = options;
  return list(rest);
}
