extension LocalStore {
    /// The connection to the service, while `run()` is under way.
    public func connection() -> LocalValues<Connection> {
        LocalValues(self) { [link] view in
            view.depend(on: .connection)
            return link.connection
        }
    }
}
