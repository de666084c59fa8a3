"""Beyond these a chain is not to be believed: judges warn of it, and tables mark it."""

# Gelman et al., Bayesian Data Analysis (3rd edition), 11.5: run longer while R-hat is above 1.1.
RHAT_LIMIT = 1.1
# Below this the chain hardly moves, and its samples are few whatever their number.
ACCEPTANCE_FLOOR = 0.1
