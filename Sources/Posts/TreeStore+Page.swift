package import Tree

extension TreeStore {
    /// Reads a page, in several states of the tree if much is passed over, so that none is held for long. Cancelling the
    /// task ends it.
    ///
    /// - Parameters:
    ///   - page: The page with nothing in it yet.
    ///   - readOn: Reads on in one state; returns whether the page is complete.
    package func page<Page: Sendable>(
        _ page: Page, readOn: @Sendable (inout Page, TreeSnapshot) throws -> Bool
    ) async throws -> Page {
        try await self.page(page, readOn: readOn) { page, _ in page }
    }

    /// The same, and makes something of the page in the state in which it was completed.
    package func page<Page: Sendable, Result: Sendable>(
        _ page: Page, readOn: @Sendable (inout Page, TreeSnapshot) throws -> Bool,
        finish: @Sendable (Page, TreeSnapshot) throws -> Result
    ) async throws -> Result {
        var page = page
        while true {
            let sofar = page
            let (read, result) = try await snapshot { snapshot in
                var page = sofar
                let isComplete = try readOn(&page, snapshot)
                return (page, isComplete ? try finish(page, snapshot) : nil)
            }
            if let result { return result }
            try Task.checkCancellation()
            page = read
        }
    }
}
