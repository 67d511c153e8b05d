import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { timelineHtml } from '../../../src/output/timeline/timeline-html.ts';
import type { ObjectLane, Timeline, TimelineChange } from '../../../src/timeline/timeline.ts';
import { nightOf } from '../../support/night.ts';

const web = nightOf('deployments', { name: 'web' }) as Timeline;
const [lane] = web.lanes as [ObjectLane];
const change: TimelineChange = { at: web.from, kind: 'changed', by: 'me', isInferred: false, fields: [], more: 0 };
const withChanges = (changes: readonly TimelineChange[]): string =>
  timelineHtml({ ...web, lanes: [{ ...lane, changes }] });

describe('a timeline as a page', () => {
  it('loads nothing, and allows its own script and style alone, by their hashes', () => {
    const html = timelineHtml(web);
    expect(html).toMatch(
      /^<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"/,
    );
    const policy =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? '';
    expect(policy).toContain("default-src 'none'");
    for (const tag of ['script', 'style']) {
      const codes = [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, code = '']) => code);
      expect(codes).toHaveLength(1);
      expect(policy).toContain(
        `${tag}-src 'sha256-${createHash('sha256')
          .update(codes[0] ?? '')
          .digest('base64')}'`,
      );
    }
    expect(html).not.toMatch(/\b(src|style|on\w+)="|https?:\/\/(?!www\.w3\.org)|@import|url\((?!#hatch)/);
  });

  it('has every text as text', () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror='a'>&amp;\u202e`;
    const html = timelineHtml({
      ...web,
      title: hostile,
      lanes: [
        {
          ...lane,
          name: hostile,
          changes: [
            { ...change, by: hostile, fields: [{ path: hostile, from: hostile, to: hostile, by: `${hostile}2` }] },
          ],
        },
      ],
      gaps: [{ from: web.from, to: web.to, reason: hostile, types: [hostile], text: hostile }],
    });
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toContain('<img');
    expect(html).not.toContain('\u202e');
    expect(html).toContain(
      '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;amp;\\u202e',
    );
  });

  it('has an entry for each mark, which leads to it', () => {
    const html = timelineHtml(web);
    const links = [...html.matchAll(/<a class="mark [a-z]+" href="#(c\d+)" aria-label="[^"]+">/g)].map(([, id]) => id);
    const entries = [...html.matchAll(/<li id="(c\d+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(20);
    expect(links.toSorted()).toEqual(entries.toSorted());
    expect(html).toContain('<code>.spec.replicas</code><del>4</del><ins>9</ins>');
  });

  it('is at most 1 MB for a thousand changes with long values; the oldest beyond that are left out, and counted', () => {
    const fields = Array.from({ length: 8 }, (_, i) => ({
      path: `.spec.field${i}`,
      from: 'a'.repeat(80),
      to: 'b'.repeat(80),
    }));
    const changes = Array.from({ length: 1_000 }, (_, i) => ({
      ...change,
      at: web.from + i * 900,
      fields,
      by: `m${i}`,
    }));
    const html = withChanges(changes);
    expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
    const [, left = '0'] = /(\d+) earlier changes are left out/.exec(html) ?? [];
    const entries = html.match(/<li id="c\d+"/g)?.length ?? 0;
    expect(entries + Number(left)).toBe(1_000);
    expect(html.match(/<a class="mark/g)).toHaveLength(entries);
    expect(html).toContain('by m999');
    expect(html).not.toContain('by m0<');
  });

  it('has all of a thousand usual changes', () => {
    const fields = [{ path: '.spec.replicas', from: '3', to: '4' }];
    const html = withChanges(Array.from({ length: 1_000 }, (_, i) => ({ ...change, at: web.from + i * 900, fields })));
    expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
    expect(html.match(/<li id="c\d+"/g)).toHaveLength(1_000);
    expect(html).not.toContain('left out');
  });
});
