/** Two kubeconfigs that share names: the first entry of a name is used as a whole. */
export const FIRST = `
clusters:
- name: c1
  cluster: {server: "https://one:6443"}
users:
- name: u1
  user: {token: t1}
contexts:
- name: x1
  context: {cluster: c1, user: u1}
`;
export const SECOND = `
current-context: x2
clusters:
- name: c1
  cluster: {server: "https://other:6443", tls-server-name: foo}
- name: c2
  cluster: {server: "https://two:6443/base/", tls-server-name: two.test}
users:
- name: u1
  user: {token: other}
- name: u2
  user: {username: me, password: pw}
contexts:
- name: x2
  context: {cluster: c2, user: u2, namespace: ns2}
- name: x3
  context: {cluster: c2}
`;
