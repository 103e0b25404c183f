package import TreeModel

/// The values at several paths of the tree, from one state.
package struct ValuesDocument: Document {
    /// The value at a path, or the reason for which it is missing.
    package struct Value: Document {
        /// The path as it was requested.
        package let path: String
        /// The value; null if there is none, and missing if there is an error.
        package let value: TreeValue?
        /// The ETag of the value; missing if only the keys were requested, or if there is an error.
        package let etag: String?
        /// The reason for which the value is missing.
        package let error: Failure?
    }

    /// The values in the order of the request.
    package let values: [Value]
    /// The position of the state in the order of commits.
    package let token: String
}
