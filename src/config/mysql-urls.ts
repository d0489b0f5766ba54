/**
 * Returns one URL per host of a MySQL URL, in the same order: two for `mysql://user:pw@a:3306,b:3306/db`. Returns the
 * text itself if it has one host or is not a URL.
 */
export function mysqlUrls(text: string): readonly string[] {
  const [, start = '', hosts = '', end = ''] = /^(mysql:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? ['', text];
  return hosts.split(',').map((host) => `${start}${host}${end}`);
}
