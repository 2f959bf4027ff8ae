"""The parts that commands share: types of values, options, defaults, positions, the manual, and the program itself."""
