// The values of the tree are part of its interface: code that imports Tree can use paths, values and updates without
// importing TreeModel. Code that needs no store imports only TreeModel.
@_exported public import TreeModel
