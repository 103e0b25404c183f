extension Array {
    /// Returns the index of the first element of the second part, in an array that is partitioned into two parts.
    func partitioningIndex(where belongsToSecond: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
