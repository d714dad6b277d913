// What a step asks of a client, in the words that both versions of the TypeScript SDK share.

export class Peer {
  /** Both versions name their methods alike, except for the two that a subclass gives. */
  constructor(client) {
    this.client = client;
  }

  introduction() {
    return {
      server: this.client.getServerVersion(),
      capabilities: this.client.getServerCapabilities(),
      instructions: this.client.getInstructions(),
    };
  }

  era() {
    return "legacy";
  }

  list(kind) {
    const lists = {
      tools: () => this.client.listTools(),
      resources: () => this.client.listResources(),
      templates: () => this.client.listResourceTemplates(),
      prompts: () => this.client.listPrompts(),
    };
    return lists[kind]();
  }

  read(uri) {
    return this.client.readResource({ uri });
  }

  subscribe(uri) {
    return this.client.subscribeResource({ uri });
  }

  unsubscribe(uri) {
    return this.client.unsubscribeResource({ uri });
  }

  prompt(name, args) {
    return this.client.getPrompt({ name, arguments: args });
  }

  complete(params) {
    return this.client.complete(params);
  }

  level(level) {
    return this.client.setLoggingLevel(level);
  }

  ping() {
    return this.client.ping();
  }

  rootsChanged() {
    return this.client.sendRootsListChanged();
  }

  close() {
    return this.client.close();
  }
}
