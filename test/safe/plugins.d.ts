/** Plugins without types of their own. */
declare module 'markdown-it-abbr' {
  const plugin: import('markdown-it').PluginWithOptions;
  export default plugin;
}
declare module 'markdown-it-container' {
  const plugin: import('markdown-it').PluginWithOptions;
  export default plugin;
}
declare module 'markdown-it-deflist' {
  const plugin: import('markdown-it').PluginWithOptions;
  export default plugin;
}
declare module 'markdown-it-footnote' {
  const plugin: import('markdown-it').PluginWithOptions;
  export default plugin;
}
declare module 'markdown-it-texmath' {
  const plugin: import('markdown-it').PluginWithOptions;
  export default plugin;
}
declare module 'remarkable' {
  export class Remarkable {
    constructor(preset: string, options: object);
    render(markdown: string): string;
  }
}
declare module 'showdown' {
  const showdown: { Converter: new (options: object) => { makeHtml(markdown: string): string } };
  export default showdown;
}
