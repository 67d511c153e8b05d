import { z } from 'zod';
import { celRules, defineResource, listMap, listSet } from '../../src/crds.ts';

/** The type of fixtures/postgres-cluster.go.txt, as a schema in code. */
export const schema = z
  .object({
    spec: z.object({
      replicas: z.int32().min(1).max(9).default(1).describe('The number of servers.'),
      version: z.enum(['16', '17', '18']),
      replication: z.enum(['async', 'sync']).default('async'),
      port: z.union([z.int(), z.string()]),
      settings: z.record(z.string(), z.string()).optional(),
      users: z
        .array(
          z
            .object({
              name: z.string().min(1),
              roles: z.array(z.string()).max(16).meta(listSet).optional(),
              expires: z.iso.datetime().optional(),
            })
            .describe('User is an account of the database.'),
        )
        .meta(listMap('name'))
        .optional(),
      backup: z
        .object({
          schedule: z
            .string()
            .max(64)
            .regex(/^[0-9*/, -]+$/)
            .describe('A cron expression.'),
          keep: z.int32().min(1).default(7),
          minimum: z.int().default(1),
        })
        .meta(celRules({ rule: 'self.keep >= self.minimum', message: 'keep is less than minimum' }))
        .describe('Backup says when copies are made.')
        .optional(),
      standby: z.boolean().nullable().optional(),
      extra: z.unknown().optional(),
    }),
    status: z
      .object({
        replicas: z.int32().optional(),
        selector: z.string().optional(),
        primary: z.ipv4().optional(),
      })
      .optional(),
  })
  .describe('A cluster of PostgreSQL servers.');

export const CLUSTERS = defineResource({
  group: 'db.example.com',
  kind: 'PostgresCluster',
  shortNames: ['pgc'],
  categories: ['all', 'databases'],
  versions: {
    v1: {
      schema,
      scale: { spec: '.spec.replicas', status: '.status.replicas', labelSelector: '.status.selector' },
      columns: [
        { name: 'Replicas', path: '.spec.replicas' },
        { name: 'Version', path: '.spec.version', description: 'of the servers' },
        { name: 'Primary', path: '.status.primary', priority: 1 },
        { name: 'Age', path: '.metadata.creationTimestamp' },
      ],
      selectableFields: ['.spec.version'],
    },
  },
});
