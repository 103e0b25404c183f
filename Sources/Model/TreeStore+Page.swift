package import Tree

extension TreeStore {
    /// Reads a page, in several states of the tree if many rows are skipped, so that none is held for long. Cancelling
    /// the task ends the read.
    ///
    /// - Parameters:
    ///   - page: The empty page.
    ///   - readOn: Continues reading in one state; returns whether the page is complete.
    package func page<Page: Sendable>(
        _ page: Page, readOn: @Sendable (inout Page, TreeSnapshot) throws -> Bool
    ) async throws -> Page {
        try await self.page(page) { page, snapshot in try readOn(&page, snapshot) ? page : nil }
    }

    /// Reads a page, and creates a result from it.
    ///
    /// - Parameter finish: Continues reading in one state; returns the result, in the state in which the page is
    ///   complete, and nil before.
    package func page<Page: Sendable, Result: Sendable>(
        _ page: Page, finish: @Sendable (inout Page, TreeSnapshot) throws -> Result?
    ) async throws -> Result {
        var page = page
        while true {
            let sofar = page
            let (read, result) = try await snapshot { snapshot in
                var page = sofar
                let result = try finish(&page, snapshot)
                return (page, result)
            }
            if let result { return result }
            try Task.checkCancellation()
            page = read
        }
    }
}
