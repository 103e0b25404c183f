// The values of the tree are part of its interface: whoever imports Tree has paths, values and updates at hand, as
// before they had a module of their own. What needs no store imports TreeModel alone.
@_exported public import TreeModel
